/** YAML 1.2 text to a value, with the line of every key. */

import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml';
import { pointerTokens } from '../json-pointer.ts';
import type { ParsedText, SyntaxFault } from './source.ts';

/** How many nodes the aliases of one text may stand for: enough for shared schemas, too few for a bomb. */
const MAX_ALIAS_EXPANSIONS = 10_000;
/** A broken text repeats itself; the first faults say it all. */
const MAX_FAULTS = 20;

/** Parses one document with merge keys. Syntax faults, repeated keys, unknown tags and alias bombs are values. */
export function parseYaml(text: string): ParsedText {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: lines,
    logLevel: 'error',
    merge: true,
    prettyErrors: false,
    uniqueKeys: true,
  });
  const faults: SyntaxFault[] = [...document.errors, ...document.warnings].slice(0, MAX_FAULTS).map((fault) => ({
    line: lines.linePos(fault.pos[0]).line,
    message: `${fault.message.replace(/[.;]?\s*$/, '')}.`,
  }));
  if (faults.length > 0) return { value: undefined, faults, locate: () => null };
  try {
    const value: unknown = document.toJS({ maxAliasCount: MAX_ALIAS_EXPANSIONS });
    return { value, faults: [], locate: (pointer) => locate(document, lines, pointer) };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { value: undefined, faults: [{ line: 1, message: `${message}.` }], locate: () => null };
  }
}

function locate(document: Document.Parsed, lines: LineCounter, pointer: string): number {
  let node: unknown = document.contents;
  let offset = startOf(node) ?? 0;
  for (const token of pointerTokens(pointer)) {
    if (isAlias(node)) node = node.resolve(document);
    const step = childOf(document, node, token);
    if (step === null) break;
    node = step.value;
    offset = startOf(step.place) ?? offset;
  }
  return lines.linePos(offset).line;
}

interface Step {
  /** The key of a map entry, or the item of a sequence. */
  readonly place: unknown;
  readonly value: unknown;
}

function childOf(document: Document.Parsed, node: unknown, token: string): Step | null {
  if (isSeq(node)) {
    const item = node.items[Number(token)];
    return item === undefined ? null : { place: item, value: item };
  }
  if (!isMap(node)) return null;
  let merged: Step | null = null;
  for (const { key, value } of node.items) {
    const name = isScalar(key) ? String(key.value) : null;
    if (name === token) return { place: key, value };
    if (name === '<<') merged ??= childOf(document, isAlias(value) ? value.resolve(document) : value, token);
  }
  return merged;
}

function startOf(node: unknown): number | null {
  const range = (node as Node | null | undefined)?.range;
  return range ? range[0] : null;
}
