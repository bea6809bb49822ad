import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { checkAssignments, checkHttp, checkJson, checkScript, checkYaml } from '../support/block-checks.ts';
import {
  assignmentsOf,
  blocksOf,
  type DocumentedBlock,
  findRunner,
  RUN_ELSEWHERE,
  readBlocks,
} from '../support/documented-blocks.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const WATCHED = ['sh', 'bash', 'ts', 'js', 'json', 'yaml', 'http'];
const blocks = readBlocks().filter(({ language }) => WATCHED.includes(language));
const isShell = ({ language }: DocumentedBlock) => language === 'sh' || language === 'bash';
const checked = blocks.filter(
  (block) => block.reason === null && (!isShell(block) || assignmentsOf(block.text) !== null),
);
const excused = blocks.filter(({ reason }) => reason !== null);

afterAll(() => {
  const run = blocks.length - checked.length - excused.length;
  process.stdout.write(
    `${blocks.length} blocks of documents: ${run} run, ${checked.length} checked, ${excused.length} with a reason.\n`,
  );
});

function problemOf({ language, text }: DocumentedBlock): string {
  switch (language) {
    case 'json':
      return checkJson(text);
    case 'yaml':
      return checkYaml(text);
    case 'http':
      return checkHttp(text);
    case 'ts':
    case 'js':
      return checkScript(text, language);
    default:
      return checkAssignments(assignmentsOf(text) ?? []);
  }
}

describe('a block that is not run', () => {
  test.each(checked.map((block) => [`${block.document}:${block.line}`, block] as const))(
    'of %s is right',
    (_, block) => {
      expect(problemOf(block)).toBe('');
    },
  );

  test('needs no reason where a test runs it', () => {
    expect(excused.filter((block) => isShell(block) && findRunner(block) !== null)).toEqual([]);
  });

  test.each([
    ['json', '{ "a": 1, }'],
    ['yaml', 'tools:\n  notes_list: { operation: listNotes, titel: Notes }'],
    ['yaml', 'services: [a]'],
    ['yaml', 'overlay: 1.1.0\nactions: []'],
    ['ts', "const count: number = 'one';"],
    ['ts', "import { createGateway } from 'unified-tool-gateway/nowhere';"],
    ['js', 'const = 1;'],
    ['http', 'GET /api/partner/clouds HTTP/1.1'],
    ['http', 'POST /hook\nwebhook-id: evt_1\n\n{"type":"connection.lost"}'],
    ['sh', 'TRUST_PROXY=2\n'],
    ['sh', 'TRUST_PROXIES=none\n'],
  ])('is wrong where it is %s such as %j', (language, text) => {
    const [block] = blocksOf('x.md', `\`\`\`${language}\n${text}\n\`\`\`\n`);
    expect(problemOf(block!)).not.toBe('');
  });
});

describe('blocks', () => {
  test('are found with their line and the reason before them, in lists too', () => {
    const found = blocksOf('x.md', '- one\n\n  <!-- not run: needs a public host -->\n  ```sh\n  npm start\n  ```\n');
    expect(found).toEqual([
      {
        document: 'x.md',
        line: 4,
        language: 'sh',
        info: '',
        text: 'npm start\n',
        comment: 'not run: needs a public host',
        reason: 'needs a public host',
      },
    ]);
  });

  test('are found with the file that follows their language, and a comment that is no reason', () => {
    const found = blocksOf('x.md', '<!-- runs until it is stopped -->\n```yaml >> a/b.yaml\nx: 1\n```\n');
    expect(found).toMatchObject([{ info: '>> a/b.yaml', comment: 'runs until it is stopped', reason: null }]);
  });

  test.each(RUN_ELSEWHERE)('$holding of $document is run by $by', ({ document, holding, by }) => {
    const source = readFileSync(path.join(ROOT, by), 'utf8');
    expect((holding ?? document).split(' ').filter((word) => !source.includes(word))).toEqual([]);
    expect(blocks.some((block) => findRunner(block) === by && block.document === document)).toBe(true);
  });
});
