/** Reads the fenced blocks in the project's Markdown. */

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.resolve(import.meta.dirname, '../..');
const FENCE = /^( *)(`{3,}|~{3,})([\w-]*) *([^\n]*)\n([\s\S]*?)^\1\2 *$/gm;
const COMMENT = /<!-- (.*) -->\n$/;
const REASON = /^not (?:run|checked): (\S.{8,})$/;

export interface DocumentedBlock {
  /** Relative to the project's root. */
  readonly document: string;
  /** Line number of the opening fence, from 1. */
  readonly line: number;
  readonly language: string;
  /** The text after the language, such as a file name. */
  readonly info: string;
  readonly text: string;
  /** The comment on the line before; empty if there is none. */
  readonly comment: string;
  /** Why the block is not run or checked, from the comment; null: the comment gives no reason. */
  readonly reason: string | null;
}

/** Commands that a separate test runs. Without `holding`: every shell block of the document that has no reason. */
export const RUN_ELSEWHERE: readonly { readonly document: string; readonly holding?: string; readonly by: string }[] = [
  { document: 'README.md', by: 'test/docs/readme.slow.test.ts' },
  { document: 'docs/tutorials/connector-in-15-minutes.md', by: 'test/docs/connector-tutorial.slow.test.ts' },
  { document: 'docs/guides/partners.md', holding: 'utg -- sandbox', by: 'test/docs/shell-blocks.slow.test.ts' },
  {
    document: 'docs/guides/partners.md',
    holding: 'examples/partner-app',
    by: 'test/examples/partner-app.slow.test.ts',
  },
  { document: 'docs/guides/partners.md', by: 'test/docs/partners.slow.test.ts' },
  { document: 'docs/guides/partner-users.md', by: 'test/docs/partners.slow.test.ts' },
  {
    document: 'docs/guides/own-project.md',
    holding: 'cd my-gateway',
    by: 'test/package/package.test.ts',
  },
  { document: 'docs/guides/store.md', holding: 'utg -- store backup', by: 'test/scripts/store/backup.slow.test.ts' },
  { document: 'docs/guides/store.md', holding: 'utg -- store restore', by: 'test/scripts/store/backup.slow.test.ts' },
  { document: 'docs/guides/store.md', holding: 'pg_dump', by: 'test/scripts/store/backup.slow.test.ts' },
  { document: 'docs/guides/store.md', holding: 'pg_restore', by: 'test/scripts/store/backup.slow.test.ts' },
  { document: 'docs/guides/store.md', holding: 'utg -- store copy', by: 'test/scripts/store/copy.slow.test.ts' },
];

/** Markdown files in the root, docs/, deploy/, examples/ and packages/. */
export function listDocuments(): string[] {
  const below = ['docs', 'deploy', 'examples', 'packages'].flatMap((folder) =>
    readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => !name.includes('node_modules'))
      .map((name) => path.posix.join(folder, name)),
  );
  return [...readdirSync(ROOT), ...below].filter((name) => name.endsWith('.md')).sort();
}

/** All blocks, in the order of documents and lines. */
export function readBlocks(): DocumentedBlock[] {
  return listDocuments().flatMap((document) => blocksOf(document, readFileSync(path.join(ROOT, document), 'utf8')));
}

/** The blocks in one text. */
export function blocksOf(document: string, markdown: string): DocumentedBlock[] {
  return [...markdown.matchAll(FENCE)].map((match) => {
    const [, indent = '', , language = '', info = '', text = ''] = match;
    const before = markdown.slice(0, match.index);
    const [, comment = ''] = COMMENT.exec(before) ?? [];
    return {
      document,
      line: before.split('\n').length,
      language,
      info,
      text: indent === '' ? text : text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
      comment,
      reason: REASON.exec(comment)?.[1] ?? null,
    };
  });
}

/** The separate test that runs a block; null if there is none. */
export function findRunner({ document, text, reason }: DocumentedBlock): string | null {
  const found = RUN_ELSEWHERE.find(
    (one) => one.document === document && (one.holding === undefined ? reason === null : text.includes(one.holding)),
  );
  return found?.by ?? null;
}

/** Names and values of a block that only assigns settings; null if the block runs a command. */
export function assignmentsOf(text: string): [name: string, value: string][] | null {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const found = lines.map((line) => /^([A-Z][A-Z0-9_]*)=(?:"([^"]*)"|(\S*)) *(?:#.*)?$/.exec(line));
  return found.every((match) => match !== null)
    ? found.map(([, name = '', quoted, plain]) => [name, quoted ?? plain ?? ''])
    : null;
}
