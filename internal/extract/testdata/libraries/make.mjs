// Makes documents with libraries that people make documents with. Its argument is their folder.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import * as docx from "docx";
import MailComposer from "nodemailer/lib/mail-composer/index.js";
import { PDFDocument, PDFString } from "pdf-lib";
import PptxGenJS from "pptxgenjs";
import * as sheetjs from "@e965/xlsx";

const [folder] = process.argv.slice(2);
const save = (name, content) => writeFile(join(folder, name), content);

const lease = await docx.Packer.toBuffer(contract());
await save("docx.docx", lease);
await save("pptxgenjs.pptx", await talk().write({ outputType: "nodebuffer" }));
for (const format of ["xlsx", "xls", "ods", "rtf"]) {
  await save(`sheetjs.${format}`, sheetjs.write(prices(), { type: "buffer", bookType: format }));
}
await save("pdf-lib.pdf", await form());
await save("nodemailer.eml", await message(lease));

/** A contract with clauses on two levels, a header, a table, a footnote, a comment and a formula. */
function contract() {
  const { Paragraph, TextRun } = docx;
  const clause = (level, ...runs) =>
    new Paragraph({ numbering: { reference: "clauses", level }, children: runs.map(run) });
  const run = (content) => (typeof content === "string" ? new TextRun(content) : content);
  const row = (...texts) =>
    new docx.TableRow({ children: texts.map((text) => new docx.TableCell({ children: [new Paragraph(text)] })) });
  const fraction = { numerator: [new docx.MathRun("a")], denominator: [new docx.MathRun("b")] };
  const children = [
    new Paragraph({ text: "Lease of a berth", heading: docx.HeadingLevel.HEADING_1 }),
    clause(0, "The berth"),
    clause(1, "The berth is number 12."),
    clause(1, "It has a lamp."),
    clause(0, "The rent"),
    clause(1, "The rent is 340 euros a month."),
    clause(
      1,
      "Notice is ",
      new docx.CommentRangeStart(0),
      "ten working days",
      new docx.CommentRangeEnd(0),
      new TextRun({ children: [new docx.CommentReference(0)] }),
      new docx.FootnoteReferenceRun(1),
      ".",
    ),
    new docx.Table({ rows: [row("Boat", "Length"), row("Palinuro", "7 m")] }),
    new Paragraph({ children: [new docx.Math({ children: [new docx.MathFraction(fraction)] })] }),
  ];
  const levels = ["%1.", "%1.%2"].map((text, level) => ({ level, format: docx.LevelFormat.DECIMAL, text }));
  return new docx.Document({
    numbering: { config: [{ reference: "clauses", levels }] },
    footnotes: { 1: { children: [new Paragraph("Sundays are no working days.")] } },
    comments: { children: [{ id: 0, author: "Ada", children: [new Paragraph("Thirty days would be kinder.")] }] },
    sections: [
      { headers: { default: new docx.Header({ children: [new Paragraph("Harbor Office circular 17")] }) }, children },
    ],
  });
}

/** A presentation with sections, a list, notes, a table and a chart. */
function talk() {
  const deck = new PptxGenJS();
  const place = (y, h) => ({ x: 1, y, w: 6, h });
  deck.addSection({ title: "Beginning" });
  deck.addSection({ title: "End" });
  const first = deck.addSlide({ sectionTitle: "Beginning" });
  first.addText("The ferries of the bay", place(1, 1));
  const lines = ["Capri by hydrofoil", "Ischia by car ferry"];
  first.addText(
    lines.map((text) => ({ text, options: { bullet: true } })),
    place(2, 2),
  );
  first.addNotes("Begin with the anchovies.");
  const last = deck.addSlide({ sectionTitle: "End" });
  const rows = [
    ["Harbor", "Boats"],
    ["Marina Grande", "12"],
  ];
  last.addTable(
    rows.map((row) => row.map((text) => ({ text }))),
    place(1, 1),
  );
  const guests = [{ name: "Guests", labels: ["Capri", "Ischia"], values: [2300.5, 1100] }];
  last.addChart(deck.ChartType.bar, guests, { ...place(3, 3), showTitle: true, title: "Traffic in May" });
  return deck;
}

/** A workbook of two sheets, with a date, a formula and a comment. */
function prices() {
  const rows = [
    ["Island", "Price", "Valid from"],
    ["Capri", 23.5, new Date(2026, 4, 1)],
    ["Ischia", 19],
    ["Together", { t: "n", v: 42.5, f: "SUM(B2:B3)" }],
  ];
  const sheet = sheetjs.utils.aoa_to_sheet(rows, { cellDates: true, dateNF: "yyyy\\-mm\\-dd" });
  sheetjs.utils.cell_add_comment(sheet.B2, "Children pay half.", "Ada");
  const book = sheetjs.utils.book_new();
  sheetjs.utils.book_append_sheet(book, sheet, "Prices");
  sheetjs.utils.book_append_sheet(book, sheetjs.utils.aoa_to_sheet([["猫", "帕利努罗"]]), "灯塔");
  return book;
}

/** A form with a text that was typed, a choice and a comment. */
async function form() {
  const pdf = await PDFDocument.create();
  const page = pdf.addPage([420, 300]);
  page.drawText("Application for a berth", { x: 40, y: 250, size: 16 });
  page.drawText("Name of the boat:", { x: 40, y: 205, size: 11 });
  page.drawText("Harbor:", { x: 40, y: 115, size: 11 });
  const place = (y) => ({ x: 150, y, width: 200, height: 24 });
  const boat = pdf.getForm().createTextField("boat");
  boat.setText("Palinuro the Second");
  boat.addToPage(page, place(195));
  const harbor = pdf.getForm().createDropdown("harbor");
  harbor.addOptions(["Marina Grande", "Marina Piccola"]);
  harbor.select("Marina Piccola");
  harbor.addToPage(page, place(105));
  const comment = { Contents: PDFString.of("The boat is too long for berth 12."), T: PDFString.of("Ada") };
  const note = pdf.context.obj({ Type: "Annot", Subtype: "Text", Rect: [360, 200, 380, 220], ...comment });
  page.node.addAnnot(pdf.context.register(note));
  return pdf.save();
}

/** A message as text and as a page, with attachments. */
function message(lease) {
  const latin = Buffer.from("Caf\xe9 at nine.", "latin1");
  return new MailComposer({
    from: "Ada Lovelace <ada@example.org>",
    to: "Charles <charles@example.org>",
    subject: "Приглашение на остров 🏝",
    date: new Date("2026-05-01T09:00:00Z"),
    text: "Lieber Charles,\nanbei der Vertrag für das Boot. Viele Grüße von der Fähre!\n",
    html: "<p>Lieber Charles, anbei der <b>Vertrag</b>.</p>",
    attachments: [
      { filename: "Vertrag für Ada.docx", content: lease },
      { filename: "notes.txt", content: latin, contentType: "text/plain; charset=iso-8859-1" },
      { filename: "ferry.ics", content: "BEGIN:VCALENDAR\r\nSUMMARY:Ferry at nine\r\nEND:VCALENDAR\r\n" },
    ],
  })
    .compile()
    .build();
}
