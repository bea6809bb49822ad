import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '../..');
const WRITTEN = /^(?:\/\/|<!--|#) (?:Written|Generated) by /;
/** What a command writes and a person reviews nevertheless: the tools. */
const REVIEWED = /^generated\/[^/]+\/(?:TOOLS\.md|tools\/[^/]+\.ts)$/;

const git = (args: readonly string[], input = '') =>
  execFileSync('git', ['-C', ROOT, ...args], { encoding: 'utf8', input, maxBuffer: 64 * 1024 * 1024 });

test('.gitattributes folds in a pull request what commands write, but for the tools', () => {
  const files = git(['ls-files', '--', '*.ts', '*.md', '*.yaml', ':!test', ':!specs'])
    .split('\n')
    .filter((file) => file !== '' && existsSync(path.join(ROOT, file)));
  const written = files.filter((file) => WRITTEN.test(readFileSync(path.join(ROOT, file), 'utf8')));
  expect(written.length).toBeGreaterThan(20);
  const attributes = git(['check-attr', 'linguist-generated', '--stdin'], written.join('\n'));
  const wrong = attributes
    .trim()
    .split('\n')
    .filter((line) => {
      const [file = '', , value] = line.split(': ');
      return value !== (REVIEWED.test(file) ? 'false' : 'true');
    });
  expect(wrong).toEqual([]);
});
