// Package cli reads a command line into a struct. Its fields are commands, flags and arguments by their tags:
//
//	cmd:""          a command, whose struct has its flags, arguments or commands; one that has a method
//	                Help() string says more about itself
//	default:"…"     of a command: the one that is meant if none is named; of a flag: its value
//	hidden:""       a command that the help does not show
//	arg:""          an argument that has to be given
//	passthrough:""  a []string that takes all arguments as they are, also those that look like flags
//	name:"…"        the name, if it is not that of the field in lower case, with hyphens
//	help:"…"        what the help says
//	group:"…"       the heading of a flag in the help; of a struct: the heading of the flags in it
//	placeholder:"…" what the help shows for the value of a flag
//	enum:"a,b"      the values that are allowed
//	type:"…"        of a flag: the field may have any type; the caller parses the text, and stores the value
//	file:"…"        of a flag with a type: there is a second flag, NAME-file, with this help
//
// All other fields with a tag are flags, or structs with flags. Flags and arguments are strings; flags may be bools.
package cli

import (
	"cmp"
	"reflect"
	"strings"
	"unicode"
)

// Command is the program or one of its commands.
type Command struct {
	Name string
	// Help is one line, Detail is more than that or empty.
	Help, Detail string
	Flags        []*Flag
	Args         []*Arg
	Commands     []*Command

	parent      *Command
	byDefault   *Command // the command to run if none is named
	hidden      bool
	passthrough *[]string
}

// Flag is an option of a command.
type Flag struct {
	Name, Help, Group string
	// Default is the value if nothing sets it. IsSet says that the command line has set it.
	Default string
	IsSet   bool
	Hidden  bool
	// Type is the tag's type. If it is empty, the flag has only its Value.
	Type string
	// Tag has all tags of the field.
	Tag reflect.StructTag
	// File is the second flag of the field, or nil. Its value is the path of a file.
	File *Flag

	placeholder string
	enum        []string
	value       reflect.Value
	field       reflect.Value // of a flag with a type
}

// Arg is an argument that a command needs.
type Arg struct {
	Name, Help string
	enum       []string
	value      reflect.Value
}

// New returns the program of a name that a struct describes, and sets the defaults in the struct. Line is a pointer to
// it.
func New(name, help string, line any) *Command {
	program := &Command{Name: name, Help: help}
	program.add(reflect.ValueOf(line).Elem(), "")
	return program
}

// Path returns the names of a command and the commands above it, without the program.
func (c *Command) Path() string {
	if c.parent == nil {
		return ""
	}
	return strings.TrimPrefix(c.parent.Path()+" "+c.Name, " ")
}

// Set sets the flag to a text, which a bool must be able to hold.
func (f *Flag) Set(text string) error {
	if f.value.Kind() == reflect.Bool {
		on, err := parseBool(text)
		if err != nil {
			return err
		}
		f.value.SetBool(on)
		return nil
	}
	f.value.SetString(text)
	return nil
}

// Value returns the text of a flag, unless it is a bool.
func (f *Flag) Value() string { return f.value.String() }

// Store sets the field of a flag with a type. The value must have the type of the field.
func (f *Flag) Store(value any) { f.field.Set(reflect.ValueOf(value)) }

// add adds the fields of a struct to a command. Group is the heading of flags that name none.
func (c *Command) add(of reflect.Value, group string) {
	for i := range of.NumField() {
		field, value := of.Type().Field(i), of.Field(i)
		tag := field.Tag
		has := func(key string) bool {
			_, found := tag.Lookup(key)
			return found
		}
		name := tag.Get("name")
		if name == "" {
			name = hyphenated(field.Name)
		}
		switch {
		case field.Anonymous:
			c.add(value, group)
		case tag == "":
		case has("cmd"):
			c.addCommand(&Command{Name: name, Help: tag.Get("help"), hidden: has("hidden")}, value, has("default"))
		case has("passthrough"):
			c.passthrough = value.Addr().Interface().(*[]string)
		case has("arg"):
			c.Args = append(c.Args, &Arg{Name: name, Help: tag.Get("help"), enum: list(tag.Get("enum")), value: value})
		case value.Kind() == reflect.Struct && !has("type"):
			c.add(value, cmp.Or(tag.Get("group"), group))
		default:
			c.addFlag(&Flag{
				Name: name, Help: tag.Get("help"), Group: cmp.Or(tag.Get("group"), group), Default: tag.Get("default"),
				Type: tag.Get("type"), Tag: tag, placeholder: tag.Get("placeholder"), enum: list(tag.Get("enum")), value: value,
			})
		}
	}
}

// addFlag adds the flag of a field, and the second one if its tags ask for that.
func (c *Command) addFlag(flag *Flag) {
	if flag.Type != "" {
		flag.field, flag.value = flag.value, newText()
	}
	if flag.value.Kind() == reflect.String {
		flag.value.SetString(flag.Default)
	}
	c.Flags = append(c.Flags, flag)
	if help := flag.Tag.Get("file"); help != "" {
		flag.File = &Flag{
			Name: flag.Name + "-file", Help: help, Group: flag.Group, placeholder: "FILE", value: newText(),
		}
		c.Flags = append(c.Flags, flag.File)
	}
}

// newText returns the place of a text that has no field of its own.
func newText() reflect.Value { return reflect.ValueOf(new(string)).Elem() }

func (c *Command) addCommand(command *Command, of reflect.Value, byDefault bool) {
	command.parent = c
	if described, ok := of.Interface().(interface{ Help() string }); ok {
		command.Detail = described.Help()
	}
	command.add(of, "")
	c.Commands = append(c.Commands, command)
	if byDefault {
		c.byDefault = command
	}
}

// hyphenated returns the name of a field as that of a flag: MaxUpload becomes max-upload.
func hyphenated(name string) string {
	var flag strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 {
			flag.WriteByte('-')
		}
		flag.WriteRune(unicode.ToLower(r))
	}
	return flag.String()
}

func list(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, ",")
}
