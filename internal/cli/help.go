package cli

import (
	"fmt"
	"io"
	"reflect"
	"strings"
)

const (
	// width is the width of the help, in characters.
	width = 80
	// maxLeft is the width of the left column. If a name is longer, its explanation begins on the next line.
	maxLeft = 30
	gap     = 4
)

// WriteHelp writes what the command does, and its commands, arguments and flags. Explain returns what it says about a
// flag.
func (c *Command) WriteHelp(w io.Writer, explain func(*Flag) string) error {
	var out strings.Builder
	out.WriteString(c.usage() + "\n\n" + wrap(c.Help) + "\n")
	if c.Detail != "" {
		out.WriteString("\n" + wrap(c.Detail) + "\n")
	}
	var args, commands [][2]string
	for _, arg := range c.Args {
		args = append(args, [2]string{"<" + arg.Name + ">", arg.Help})
	}
	for _, command := range c.leaves() {
		commands = append(commands, [2]string{command.Path(), command.Help})
	}
	writeSection(&out, "Arguments:", args)
	writeSection(&out, "Commands:", commands)
	c.writeFlags(&out, explain)
	_, err := io.WriteString(w, out.String())
	return err
}

func (c *Command) usage() string {
	parts := []string{"Usage:"}
	program := c
	for program.parent != nil {
		program = program.parent
	}
	parts = append(parts, program.Name)
	if path := c.Path(); path != "" {
		parts = append(parts, path)
	}
	if len(c.Commands) > 0 {
		parts = append(parts, "<command>")
	}
	for _, arg := range c.Args {
		parts = append(parts, "<"+arg.Name+">")
	}
	return strings.Join(append(parts, "[flags]"), " ")
}

// leaves returns the commands below that have none themselves, without the hidden ones.
func (c *Command) leaves() []*Command {
	var leaves []*Command
	for _, command := range c.Commands {
		switch {
		case command.hidden:
		case len(command.Commands) > 0:
			leaves = append(leaves, command.leaves()...)
		default:
			leaves = append(leaves, command)
		}
	}
	return leaves
}

// writeFlags writes the flags of the command and of those above it, by their groups.
func (c *Command) writeFlags(out *strings.Builder, explain func(*Flag) string) {
	groups := []string{""}
	rows := map[string][][2]string{"": {{"-h, --help", "Show this help."}}}
	for command := c; command != nil; command = command.parent {
		for _, flag := range command.Flags {
			if flag.Hidden {
				continue
			}
			if rows[flag.Group] == nil {
				groups = append(groups, flag.Group)
			}
			rows[flag.Group] = append(rows[flag.Group], [2]string{flag.shown(), explain(flag)})
		}
	}
	for _, group := range groups {
		heading := group
		if heading == "" {
			heading = "Flags:"
		}
		writeSection(out, heading, rows[group])
	}
}

// shown returns a flag with what stands for its value.
func (f *Flag) shown() string {
	name := "--" + f.Name
	switch {
	case f.value.Kind() == reflect.Bool:
		return name
	case f.Default != "":
		return fmt.Sprintf("%s=%q", name, f.Default)
	case f.placeholder != "":
		return name + "=" + f.placeholder
	}
	return name + "=TEXT"
}

// writeSection writes rows of two columns.
func writeSection(out *strings.Builder, heading string, rows [][2]string) {
	if len(rows) == 0 {
		return
	}
	left := 0
	for _, row := range rows {
		if len(row[0]) <= maxLeft {
			left = max(left, len(row[0]))
		}
	}
	out.WriteString("\n" + heading + "\n")
	margin := strings.Repeat(" ", 2+left+gap)
	for _, row := range rows {
		lines := wrapTo(row[1], width-len(margin))
		if len(row[0]) > left {
			fmt.Fprintf(out, "  %s\n%s%s\n", row[0], margin, lines[0])
		} else {
			fmt.Fprintf(out, "  %-*s%s\n", left+gap, row[0], lines[0])
		}
		for _, line := range lines[1:] {
			out.WriteString(margin + line + "\n")
		}
	}
}

// wrap breaks the lines of paragraphs anew.
func wrap(text string) string {
	var paragraphs []string
	for paragraph := range strings.SplitSeq(text, "\n\n") {
		paragraphs = append(paragraphs, strings.Join(wrapTo(paragraph, width), "\n"))
	}
	return strings.Join(paragraphs, "\n\n")
}

// wrapTo returns the lines of a paragraph. There is at least one.
func wrapTo(text string, width int) []string {
	lines := []string{""}
	for word := range strings.FieldsSeq(text) {
		last := &lines[len(lines)-1]
		switch {
		case *last == "":
			*last = word
		case len(*last)+1+len(word) <= width:
			*last += " " + word
		default:
			lines = append(lines, word)
		}
	}
	return lines
}
