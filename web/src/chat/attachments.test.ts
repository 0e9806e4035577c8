import { expect, it } from "vitest";
import { assignFiles } from "./attachments";
import { Entry } from "./entry.svelte";

const question = (id: string, images?: string[]) =>
  new Entry({ id, role: "user", content: "?", timestamp: 1, is_favorited: false, images });
const picture = (file_id: string) => ({
  file_id,
  filename: `${file_id}.png`,
  file_size: 1,
  file_type: "image/png",
  upload_time: 1,
});

it("gives pictures to the question that names them", () => {
  const [first, second] = [question("03"), question("05", ["01", "04"])];
  const { of, waiting } = assignFiles([first, second], ["01", "02", "04", "06"].map(picture), true);
  const ids = (entry: Entry) => of.get(entry)?.map(({ file_id }) => file_id);
  expect([ids(first), ids(second), waiting]).toEqual([["02"], ["01", "04"], [picture("06")]]);
});

it("shows the pictures of the first question that is loaded, which are certain", () => {
  const first = question("03", ["01"]);
  expect(assignFiles([first], ["01", "02"].map(picture), false).of.get(first)).toEqual([picture("01")]);
});
