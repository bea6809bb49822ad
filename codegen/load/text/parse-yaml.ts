/** Parses YAML 1.2 text, with the position of every key. */

import {
  type Alias,
  Composer,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type Node,
  Parser,
  parseDocument,
  type YAMLError,
  type YAMLMap,
  YAMLParseError,
} from 'yaml';
import type { Position } from '../../diagnostics.ts';
import { pointerTokens } from '../../json-pointer.ts';
import { remember } from '../../remember.ts';
import type { ParsedText, SyntaxFault } from './parsed-text.ts';
import { NUMBERS_AS_TEXT, restoreYamlTexts } from './text-values.ts';

/** Largest number of nodes that the aliases of one text may expand to: enough for shared schemas, too few for an alias bomb. */
const MAX_ALIAS_EXPANSIONS = 10_000;
/** One broken text causes repeated faults; the first ones are enough. */
const MAX_FAULTS = 20;

/**
 * Faults that common parsers accept and YAML 1.2.2 does not: a repeated key, whose last value counts; an undefined tag;
 * a key of more than 1024 characters.
 */
const TOLERATED: ReadonlySet<string> = new Set(['DUPLICATE_KEY', 'TAG_RESOLVE_FAILED', 'KEY_OVER_1024_CHARS']);

/**
 * Parses one document with merge keys. Returns syntax faults, repeated keys, unknown tags and alias bombs as values.
 *
 * @param isTolerant accepts what the common parsers accept
 */
export function parseYaml(text: string, isTolerant = false): ParsedText {
  const refuse = (faults: readonly SyntaxFault[]): ParsedText => ({
    value: undefined,
    faults,
    repairs: [],
    locate: () => null,
  });
  const lines = new LineCounter();
  try {
    const document = composeDocument(text, lines, isTolerant);
    const toFault = ({ pos, message }: YAMLError): SyntaxFault => ({
      position: toPosition(lines, pos[0]),
      message: toSentence(message),
    });
    const errors = [...document.errors, ...repeatedKeysIn(document.contents)].sort((a, b) => a.pos[0] - b.pos[0]);
    const [repaired, faulty] = partition(
      [...errors, ...document.warnings],
      ({ code }) => isTolerant && TOLERATED.has(code),
    );
    if (faulty.length > 0) return refuse(faulty.slice(0, MAX_FAULTS).map(toFault));
    const locate = createLocator(document, lines);
    const schemas = isTolerant ? restoreYamlTexts(document.contents) : [];
    const textRepairs = schemas.map((pointer) => ({ position: locate(pointer), pointer, message: NUMBERS_AS_TEXT }));
    const value: unknown = document.toJS({ maxAliasCount: MAX_ALIAS_EXPANSIONS });
    return {
      value,
      faults: [],
      repairs: [...repaired.map(toFault), ...textRepairs],
      locate: createLocator(document, lines),
    };
  } catch (error) {
    return refuse([
      { position: { line: 1, column: 1 }, message: toSentence(error instanceof Error ? error.message : String(error)) },
    ]);
  }
}

/** The library's `parseDocument`, with our own lexer for text that others wrote. */
function composeDocument(text: string, lineCounter: LineCounter, isTolerant: boolean): Document.Parsed {
  const options = { lineCounter, logLevel: 'error', merge: true, prettyErrors: false, uniqueKeys: false } as const;
  if (!isTolerant) return parseDocument(text, options);
  const parser = new Parser(lineCounter.addNewLine);
  lineCounter.addNewLine(0);
  const [document, extraDocument] = new Composer(options).compose(tokensOf(text, parser), true, text.length);
  if (document === undefined) return parseDocument(text, options);
  if (extraDocument !== undefined)
    document.errors.push(
      new YAMLParseError(
        [extraDocument.range[0], extraDocument.range[1]],
        'MULTIPLE_DOCS',
        'The text holds several documents',
      ),
    );
  return document;
}

/** The library would compare each key with all others of its map, which takes seconds for ten thousand keys. */
function repeatedKeysIn(node: unknown): YAMLError[] {
  if (isSeq(node)) return node.items.flatMap(repeatedKeysIn);
  if (!isMap(node)) return [];
  const visitedKeys = new Set<unknown>();
  return node.items.flatMap(({ key, value }) => {
    const isRepeated = isScalar(key) && visitedKeys.size === visitedKeys.add(key.value).size;
    const start = startOf(key) ?? 0;
    const keyErrors = isRepeated
      ? [new YAMLParseError([start, start + 1], 'DUPLICATE_KEY', 'Map keys must be unique')]
      : [];
    return [...keyErrors, ...repeatedKeysIn(key), ...repeatedKeysIn(value)];
  });
}

function* tokensOf(text: string, parser: Parser) {
  for (const lexeme of createTolerantLexer().lex(text)) yield* parser.next(lexeme);
  yield* parser.end();
}

/** Accepts a quoted text whose next line is indented less than YAML requires (§7.3.1), as most parsers do. */
function createTolerantLexer(): Lexer {
  const lexer = new Lexer();
  const lexerInternals = lexer as unknown as {
    indentNext: number;
    parseQuotedScalar(): Generator<string, string, undefined>;
  };
  const parse = lexerInternals.parseQuotedScalar.bind(lexer);
  lexerInternals.parseQuotedScalar = function* () {
    const { indentNext } = lexerInternals;
    lexerInternals.indentNext = 0;
    const next = yield* parse();
    lexerInternals.indentNext = indentNext;
    return next;
  };
  return lexer;
}

function partition<T>(items: readonly T[], isFirst: (item: T) => boolean): [T[], T[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))];
}

function toSentence(message: string): string {
  return `${message.replace(/[.;\s]+$/, '')}.`;
}

/** Position of the key of a map entry or of the item of a sequence, and the value there. */
interface Step {
  readonly positionNode: unknown;
  readonly value: unknown;
}

function createLocator(document: Document.Parsed, lines: LineCounter): (pointer: string) => Position {
  const aliasTargets = new Map<Alias, unknown>();
  const steps = new Map<YAMLMap, ReadonlyMap<string, Step>>();
  const resolveAlias = (node: unknown): unknown => {
    if (!isAlias(node)) return node;
    if (!aliasTargets.has(node)) aliasTargets.set(node, node.resolve(document));
    return aliasTargets.get(node);
  };
  const stepTo = (node: unknown, token: string): Step | null => {
    if (isSeq(node)) {
      const item = node.items[Number(token)];
      return item === undefined ? null : { positionNode: item, value: item };
    }
    if (!isMap(node)) return null;
    let merged: Step | null = null;
    const ownStep = remember(steps, node, () => stepsOf(node)).get(token);
    if (ownStep !== undefined) return ownStep;
    for (const { key, value } of node.items) if (isMergeKey(key)) merged ??= stepToMerged(resolveAlias(value), token);
    return merged;
  };
  const stepToMerged = (node: unknown, token: string): Step | null => {
    if (!isSeq(node)) return stepTo(node, token);
    return node.items.reduce((match: Step | null, item) => match ?? stepTo(resolveAlias(item), token), null);
  };
  return (pointer) => {
    let node: unknown = document.contents;
    let offset = startOf(node) ?? 0;
    for (const token of pointerTokens(pointer)) {
      const step = stepTo(resolveAlias(node), token);
      if (step === null) break;
      node = step.value;
      offset = startOf(step.positionNode) ?? offset;
    }
    return toPosition(lines, offset);
  };
}

/** By key; the first of equal keys counts. */
function stepsOf({ items }: YAMLMap): ReadonlyMap<string, Step> {
  const entries = items.flatMap(({ key, value }): [string, Step][] =>
    isScalar(key) ? [[String(key.value), { positionNode: key, value }]] : [],
  );
  return new Map(entries.reverse());
}

function toPosition(lines: LineCounter, offset: number): Position {
  const { line, col } = lines.linePos(offset);
  return { line, column: col };
}

/** `<<`, whose value the library replaces with a symbol when it merges. */
function isMergeKey(key: unknown): boolean {
  return isScalar(key) && (key.value === '<<' || typeof key.value === 'symbol');
}

function startOf(node: unknown): number | null {
  const range = (node as Node | null | undefined)?.range;
  return range ? range[0] : null;
}
