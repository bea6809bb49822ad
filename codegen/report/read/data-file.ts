/** Reads an emitted file that is data alone, without a syntax tree: that takes a quarter of the time. */

const TEXT = String.raw`(?:'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")`;
const IMPORT = String.raw`import type \{ \w+(?:, \w+)* \} from '[^'\\\n]*';\n`;
/** A header, imports of types, and one constant with a type. */
const HEAD = new RegExp(String.raw`^// [^\n]*\n(?:${IMPORT})+\nexport const \w+: GeneratedTool = (?=\{\n)`);
/** The type of the last member, and the end of the constant and of the file. */
const TAIL = /^ satisfies\s+RequestOf<\s*paths(?:\['[^'\\\n]*'\])+(?:,\s*'[^'\\\n]*')?\s*>(?=,\n\};\n$)/;
/** The differences from JSON: texts, of one sentence or of several; names without quotes; commas before a bracket. */
const UNLIKE_JSON = new RegExp(String.raw`${TEXT}(?:\s\+\s+${TEXT})*|[A-Za-z_$][\w$]*(?=:)|,(?=\s*[}\]])`, 'g');
const TEXTS = new RegExp(TEXT, 'g');
const ESCAPE = /\\(?:u\{([0-9a-f]+)\}|(.))|"/g;

/**
 * The members of the only constant, in their order.
 *
 * @returns null for a file in any other form than that of a tool without code; `parseSource` reads those.
 */
export function readDataFile(text: string): Record<string, unknown> | null {
  const start = HEAD.exec(text)?.[0].length;
  const end = text.lastIndexOf(' satisfies');
  const tail = TAIL.exec(text.slice(end))?.[0].length;
  if (start === undefined || tail === undefined) return null;
  const literal = `${text.slice(start, end)}${text.slice(end + tail, -';\n'.length)}`;
  try {
    return JSON.parse(literal.replace(UNLIKE_JSON, toJson)) as Record<string, unknown>;
  } catch {
    return null;
  }
}

function toJson(token: string): string {
  if (token === ',') return '';
  if (token[0] !== "'" && token[0] !== '"') return `"${token}"`;
  const texts = token.includes(' +') ? (token.match(TEXTS) ?? []) : [token];
  return `"${texts.map(withoutQuotes).join('')}"`;
}

function withoutQuotes(text: string): string {
  const inner = text.slice(1, -1);
  return /["\\]/.test(inner) ? inner.replace(ESCAPE, toJsonEscape) : inner;
}

/** JSON refuses an escape that it does not have. */
function toJsonEscape(whole: string, codePoint?: string, character?: string): string {
  if (codePoint !== undefined) return String.fromCodePoint(Number.parseInt(codePoint, 16));
  if (character === "'") return "'";
  return character === undefined ? '\\"' : whole;
}
