import { expect, it } from "vitest";
import { parsePeople } from "./people";

it.each([
  ["", []],
  [" \n, ;\n", []],
  ["ada@example.com", ["ada@example.com"]],
  [
    "a@b.c,d@e.f; g@h.i\n\n j@k.l\r\nm@n.o，p@q.r、s@t.u；v@w.x",
    "a@b.c d@e.f g@h.i j@k.l m@n.o p@q.r s@t.u v@w.x".split(" "),
  ],
  ["Ada@example.com\nada@EXAMPLE.com", ["Ada@example.com"]],
  ["not an address", ["not an address"]],
])("reads the addresses of %j", (text, emails) => {
  expect(parsePeople(text).map(({ email }) => email)).toEqual(emails);
});

it("reads names", () => {
  expect(parsePeople('Ada Lovelace <ada@example.com>, "Bob" <bob@example.com>, <c@d.e>')).toEqual([
    { email: "ada@example.com", nickname: "Ada Lovelace" },
    { email: "bob@example.com", nickname: "Bob" },
    { email: "c@d.e", nickname: "" },
  ]);
});
