/** YAML 1.2 text to a value, with the line of every key. */

import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
} from 'yaml';
import { pointerTokens } from '../../json-pointer.ts';
import type { ParsedText, SyntaxFault } from './parsed-text.ts';

/** How many nodes the aliases of one text may stand for: enough for shared schemas, too few for a bomb. */
const MAX_ALIAS_EXPANSIONS = 10_000;
/** A broken text repeats itself; the first faults say it all. */
const MAX_FAULTS = 20;

/** Parses one document with merge keys. Syntax faults, repeated keys, unknown tags and alias bombs are values. */
export function parseYaml(text: string): ParsedText {
  const refuse = (faults: readonly SyntaxFault[]): ParsedText => ({ value: undefined, faults, locate: () => null });
  const lines = new LineCounter();
  try {
    const document = parseDocument(text, {
      lineCounter: lines,
      logLevel: 'error',
      merge: true,
      prettyErrors: false,
      uniqueKeys: true,
    });
    const faults = [...document.errors, ...document.warnings].slice(0, MAX_FAULTS);
    if (faults.length > 0) {
      return refuse(
        faults.map(({ pos, message }) => ({ line: lines.linePos(pos[0]).line, message: toSentence(message) })),
      );
    }
    const value: unknown = document.toJS({ maxAliasCount: MAX_ALIAS_EXPANSIONS });
    return { value, faults: [], locate: createLocator(document, lines) };
  } catch (error) {
    return refuse([{ line: 1, message: toSentence(error instanceof Error ? error.message : String(error)) }]);
  }
}

function toSentence(message: string): string {
  return `${message.replace(/[.;\s]+$/, '')}.`;
}

/** Where something stands: the key of a map entry or the item of a sequence, and the value there. */
interface Step {
  readonly place: unknown;
  readonly value: unknown;
}

function createLocator(document: Document.Parsed, lines: LineCounter): (pointer: string) => number {
  const anchored = new Map<Alias, unknown>();
  const follow = (node: unknown): unknown => {
    if (!isAlias(node)) return node;
    if (!anchored.has(node)) anchored.set(node, node.resolve(document));
    return anchored.get(node);
  };
  const stepTo = (node: unknown, token: string): Step | null => {
    if (isSeq(node)) {
      const item = node.items[Number(token)];
      return item === undefined ? null : { place: item, value: item };
    }
    if (!isMap(node)) return null;
    let merged: Step | null = null;
    for (const { key, value } of node.items) {
      if (isScalar(key) && String(key.value) === token) return { place: key, value };
      if (isMergeKey(key)) merged ??= stepToMerged(follow(value), token);
    }
    return merged;
  };
  const stepToMerged = (node: unknown, token: string): Step | null => {
    if (!isSeq(node)) return stepTo(node, token);
    return node.items.reduce((found: Step | null, item) => found ?? stepTo(follow(item), token), null);
  };
  return (pointer) => {
    let node: unknown = document.contents;
    let offset = startOf(node) ?? 0;
    for (const token of pointerTokens(pointer)) {
      const step = stepTo(follow(node), token);
      if (step === null) break;
      node = step.value;
      offset = startOf(step.place) ?? offset;
    }
    return lines.linePos(offset).line;
  };
}

/** `<<`, whose value the library replaces by a symbol when it merges. */
function isMergeKey(key: unknown): boolean {
  return isScalar(key) && (key.value === '<<' || typeof key.value === 'symbol');
}

function startOf(node: unknown): number | null {
  const range = (node as Node | null | undefined)?.range;
  return range ? range[0] : null;
}
