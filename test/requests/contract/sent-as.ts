/** Reads where each argument of a tool goes from the reviewed page `TOOLS.md`. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where the values of one call go, by wire address such as `query.page_size` or `query.filters[ticker]`. */
export interface SentAs {
  /** Argument to address; null: not sent, or only the name of a member. */
  readonly arguments: ReadonlyMap<string, string | null>;
  /** Address to the value that is sent there, always or by default. */
  readonly constants: ReadonlyMap<string, unknown>;
  /** The argument whose elements are names of arguments to be sent as null, or null. */
  readonly clear: string | null;
}

/** By tool name, for one service of `generated/`. */
export function loadSentAs(generated: string, service: string): ReadonlyMap<string, SentAs> {
  const page = readFileSync(join(generated, service, 'TOOLS.md'), 'utf8');
  const sections = page.split(/^### /m).slice(1);
  return new Map(sections.map((section) => [readCode(section), readSection(section)]));
}

function readSection(section: string): SentAs {
  const lines = section.split('\n');
  const rows = lines.filter((line) => line.startsWith('| `')).map((line) => line.split(/(?<!\\)\|/).slice(1, -1));
  const constants = lines.flatMap((line) => {
    const found = /^- (?:Always sends|Sends) `([^`]+)` = (.+?)(?: by default)?\.$/.exec(line);
    return found === null ? [] : [[found[1] ?? '', JSON.parse(readCode(found[2] ?? '')) as unknown] as const];
  });
  return {
    arguments: new Map(rows.map(([name = '', , place = '']) => [readCode(name), readAddress(place.trim())])),
    constants: new Map(constants),
    clear: readClear(rows),
  };
}

function readClear(rows: readonly (readonly string[])[]): string | null {
  const row = rows.find(([, , place = '']) => place.trim() === 'null in the place of each');
  return row === undefined ? null : readCode(row[0] ?? '');
}

function readAddress(place: string): string | null {
  return place.startsWith('`') ? readCode(place) : null;
}

/** The text of the first code span. */
function readCode(markdown: string): string {
  const [, , text = ''] = /(`+) ?(.*?) ?\1/.exec(markdown) ?? [];
  return text.replaceAll('\\|', '|');
}
