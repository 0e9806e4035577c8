package config

import (
	"log/slog"
	"reflect"
	"strconv"
	"strings"

	"parley"
)

// kind is a type of settings.
type kind struct {
	parse func(string) (any, error)
	// words lists the only values allowed, or is nil.
	words []string
	// isList is set if the settings file may have a YAML list.
	isList bool
}

// as returns a kind with this parser.
func as[T any](parse func(string) (T, error)) kind {
	return kind{parse: func(s string) (any, error) { return parse(s) }}
}

// asList returns a kind for lists, separated by commas. parse gets the whole text.
func asList[T any](parse func(string) (T, error)) kind {
	list := as(parse)
	list.isList = true
	return list
}

// asWords returns a kind for texts that must be one of the words.
func asWords(words []string) kind {
	one := as(oneOf(words...))
	one.words = words
	return one
}

// asSwitch returns a kind for bools that are written as one of the words. The word on means true.
func asSwitch(words []string, on string) kind {
	return kind{words: words, parse: func(s string) (any, error) {
		word, err := oneOf(words...)(s)
		return word == on, err
	}}
}

// kindOf returns the kind that the tags of a setting describe.
func kindOf(tag reflect.StructTag) kind {
	words := strings.Split(tag.Get("words"), ",")
	switch name := tag.Get("type"); name {
	case "words":
		return asWords(words)
	case "switch":
		return asSwitch(words, tag.Get("on"))
	case "thinking":
		return asWords(Thinkings())
	case "level":
		level := asWords([]string{"debug", "info", "warn", "error"})
		level.parse = as(parseLevel).parse
		return level
	case "number":
		return as(numberOf(tag))
	case "number or off":
		return as(orOff(numberOf(tag)))
	default:
		return kindByName(name)
	}
}

func numberOf(tag reflect.StructTag) func(string) (int, error) {
	least, _ := strconv.Atoi(tag.Get("min")) // without a bound it is 0
	most, _ := strconv.Atoi(tag.Get("max"))
	return number(tag.Get("of"), least, most)
}

// kindByName returns a kind that depends on its name only, not on other tags.
func kindByName(name string) kind {
	switch name {
	case "text":
		return as(parseText)
	case "name":
		return as(parseName)
	case "file":
		return as(parseText)
	case "folder":
		return as(parsePath)
	case "program":
		return as(parsePath)
	case "sender":
		return as(parseSender)
	case "key":
		return as(parseKey)
	case "secret key":
		return as(parseSecretKey)
	case "address":
		return as(parseAddr)
	case "address of metrics":
		return as(parseMetricsAddr)
	case "loopback address":
		return as(parseProfileAddr)
	case "site":
		return as(parsePublicURL)
	case "server":
		return as(parseAddress)
	case "model server":
		return as(parseModelServer)
	case "mail server":
		return as(parseMailServer)
	case "issuer":
		return as(parseIssuer)
	case "database":
		return as(parseDatabaseURL)
	case "database or folder":
		return as(targetOf(SQLiteScheme, parseDatabaseURL))
	case "bucket":
		return as(parseFilesURL)
	case "bucket or folder":
		return as(targetOf(FolderScheme, parseFilesURL))
	case "duration":
		return as(parley.ParseDuration)
	case "duration above zero":
		return as(parsePositiveDuration)
	case "days":
		return as(parseAuditKeep)
	case "retention":
		return as(parley.ParseRetention)
	case "quota":
		return as(parley.ParseQuota)
	case "size":
		return as(parseSize)
	case "size or none":
		return as(parseOptionalSize)
	case "context":
		return as(parseContext)
	case "connections":
		return as(parseConnections)
	case "connections of an address":
		return as(parseConnectionsPerAddress)
	case "origins":
		return asList(parseOrigins)
	case "networks":
		return asList(parseNetworks)
	case "languages":
		return asList(parseLanguages)
	case "rates":
		return asList(parseRateLimit)
	default:
		return kind{} // the flag has no type
	}
}

func parseLevel(s string) (level slog.Level, err error) {
	word, err := oneOf("debug", "info", "warn", "error")(s)
	if err == nil {
		err = level.UnmarshalText([]byte(word))
	}
	return level, err
}

func parseText(s string) (string, error) { return s, nil }
