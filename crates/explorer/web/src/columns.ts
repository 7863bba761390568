// Tables in columns: a JSON header, then arrays of little-endian numbers that are read in place.

/** The number that stands for none. */
export const NONE = 0xffffffff;

/** A column of strings, each decoded when it is asked for. */
export class Texts {
  private static readonly decoder = new TextDecoder();

  constructor(
    private readonly starts: Uint32Array,
    private readonly bytes: Uint8Array,
  ) {}

  get length(): number {
    return this.starts.length - 1;
  }

  at(i: number): string {
    return Texts.decoder.decode(this.bytes.subarray(this.starts[i], this.starts[i + 1]));
  }

  /** Whether a string has these bytes. */
  is(i: number, bytes: Uint8Array): boolean {
    const start = this.starts[i]!;
    if (this.starts[i + 1]! - start !== bytes.length) return false;
    for (let at = 0; at < bytes.length; at++) if (this.bytes[start + at] !== bytes[at]) return false;
    return true;
  }

  /** All strings. */
  all(): string[] {
    return Array.from({ length: this.length }, (_, i) => this.at(i));
  }
}

/** Adds up the differences of a column. */
function summed(steps: Uint32Array): Uint32Array {
  const values = new Uint32Array(steps.length);
  let value = 0;
  for (let i = 0; i < steps.length; i++) {
    value = (value + steps[i]!) >>> 0;
    values[i] = value;
  }
  return values;
}

/** Adds up the differences of a column in which some numbers are missing. */
function summedTimes(steps: Float64Array): Float64Array {
  const values = new Float64Array(steps.length);
  let value = 0;
  for (let i = 0; i < steps.length; i++) {
    const step = steps[i]!;
    if (!Number.isNaN(step)) value += step;
    values[i] = Number.isNaN(step) ? Number.NaN : value;
  }
  return values;
}

const padded = (length: number) => Math.ceil(length / 8) * 8;

/** Reads a table, which begins at a multiple of eight: the length of its header, the header, and the columns. */
export function columns<T>(buffer: ArrayBuffer, start = 0): T {
  const length = new DataView(buffer).getUint32(start, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, start + 4, length)));
  const table: Record<string, unknown> = { ...header };
  let offset = start + 4 + length;
  for (const column of header.columns) {
    if (column.of === 'f64-steps') {
      table[column.name] = summedTimes(new Float64Array(buffer, offset, column.length));
      offset += column.length * 8;
      continue;
    }
    const count = column.of === 'text' ? column.length + 1 : column.length;
    const numbers = new Uint32Array(buffer, offset, count);
    offset += padded(count * 4);
    if (column.of === 'text') {
      table[column.name] = new Texts(numbers, new Uint8Array(buffer, offset, numbers[count - 1]!));
      offset += padded(numbers[count - 1]!);
    } else table[column.name] = column.of === 'u32-steps' ? summed(numbers) : numbers;
  }
  return table as T;
}
