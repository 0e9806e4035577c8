/** The length of the headers of a file, in the order in which they come, and of the end of an archive. */
const localLength = 30;
const centralLength = 46;
const endLength = 22;

/** Names are in UTF-8. */
const utf8 = 0x0800;

/** Returns an archive of files, by name, without compressing them. A name that is taken gets a number. */
export async function zip(files: [name: string, content: Blob][], now = new Date()): Promise<Blob> {
  const parts: BlobPart[] = [];
  const directory: BlobPart[] = [];
  const taken = new Set<string>();
  let offset = 0;
  let directorySize = 0;
  for (const [wanted, content] of files) {
    const name = new TextEncoder().encode(unused(wanted, taken));
    const common = commonFields(now, crc32(new Uint8Array(await content.arrayBuffer())), content.size, name.length);
    const local = header(localLength, 0x04034b50, [[4, 20, 2], ...common.map(at(6))]);
    const central = header(centralLength, 0x02014b50, [[4, 20, 2], [6, 20, 2], ...common.map(at(8)), [42, offset, 4]]);
    parts.push(local, name, content);
    directory.push(central, name);
    offset += localLength + name.length + content.size;
    directorySize += centralLength + name.length;
  }
  const end = header(endLength, 0x06054b50, [
    [8, files.length, 2],
    [10, files.length, 2],
    [12, directorySize, 4],
    [16, offset, 4],
  ]);
  return new Blob([...parts, ...directory, end], { type: "application/zip" });
}

/** A number in a header: where it is, its value, and how many bytes it has. */
type Field = [place: number, value: number, bytes: 2 | 4];

/** Moves a field by the place of the common fields in a header. */
const at =
  (start: number) =>
  ([place, value, bytes]: Field): Field => [start + place, value, bytes];

/** The fields that both headers of a file have. The method is 0, to store. */
function commonFields(now: Date, sum: number, size: number, nameLength: number): Field[] {
  const time = (now.getHours() << 11) | (now.getMinutes() << 5) | (now.getSeconds() >> 1);
  const date = ((now.getFullYear() - 1980) << 9) | ((now.getMonth() + 1) << 5) | now.getDate();
  return [
    [0, utf8, 2],
    [4, time, 2],
    [6, date, 2],
    [8, sum, 4],
    [12, size, 4],
    [16, size, 4],
    [20, nameLength, 2],
  ];
}

function header(length: number, signature: number, fields: Field[]): ArrayBuffer {
  const view = new DataView(new ArrayBuffer(length));
  view.setUint32(0, signature, true);
  for (const [place, value, bytes] of fields) {
    if (bytes === 2) view.setUint16(place, value, true);
    else view.setUint32(place, value, true);
  }
  return view.buffer;
}

function unused(wanted: string, taken: Set<string>): string {
  const [, stem, extension] = /^(.*?)(\.[^.]*)?$/s.exec(wanted)!;
  let name = wanted;
  // Some systems do not tell upper from lower case.
  for (let number = 2; taken.has(name.toLowerCase()); number++) name = `${stem} (${number})${extension ?? ""}`;
  taken.add(name.toLowerCase());
  return name;
}

/** Returns the checksum of an archive's file. */
export function crc32(content: Uint8Array): number {
  let sum = ~0;
  for (const byte of content) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit++) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0);
  }
  return ~sum >>> 0;
}
