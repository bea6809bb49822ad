import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { MCP_PATH } from '../../server/gateway-paths.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const index = readFileSync(path.join(ROOT, 'docs/README.md'), 'utf8');
const LINE = /^- \[[^\]]+\]\(([^)#]+)\): \S.*\.$/;

describe('docs/README.md', () => {
  test('has a line with a description for every page', () => {
    const listed = index.split('\n').flatMap((line) => LINE.exec(line)?.[1] ?? []);
    const pages = readdirSync(path.join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' }).map((name) =>
      name.replaceAll(path.sep, '/'),
    );
    const isListed = (page: string) =>
      listed.includes(page) || listed.includes(`${path.posix.dirname(page)}/README.md`);
    const missing = pages.filter((page) => /\.(md|yaml)$/.test(page) && page !== 'README.md' && !isListed(page));
    expect(missing).toEqual([]);
    expect(new Set(listed).size).toBe(listed.length);
  });

  test('says no line in another form', () => {
    const lines = index.split('\n').filter((line) => line.startsWith('-'));
    expect(lines.filter((line) => !LINE.test(line))).toEqual([]);
  });
});

const ESSENTIALS = `- Commands: \`npm ci\`, then \`npm run demo\` (everything on this machine), \`npm start\` (the gateway alone), \`npm test\`, and \`npm run check\` before a pull request.
- A new service: \`npm run utg -- add <file-or-url> --name <name>\`, decide in \`specs/<name>/connector.yaml\`, \`npm run codegen\`, \`npm run tools:diff\`.
- MCP endpoint: \`POST ${MCP_PATH}\`, by default of http://127.0.0.1:3000, with a bearer token. Without one, the 401 says where to sign in.
- Folders: \`specs/\` (descriptors and decisions), \`codegen/\` (makes tools of them), \`generated/\` (the tools), \`server/\` (the gateway), \`scripts/\` (commands), \`packages/\` (what partners install), \`test/\`.
- Do not edit: \`generated/\`, pages that begin with "Written by", \`packages/partner/api.d.ts\`, \`server/connect/connect-script.ts\`, \`llms.txt\`. Commands write them.`;

describe('the essentials of llms.txt', () => {
  const named = [...ESSENTIALS.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);

  test('name commands that there are', () => {
    const scripts = named.flatMap((name) => /^npm (?:run )?([\w:]+)/.exec(name)?.[1] ?? []);
    expect(scripts.filter((name) => name !== 'ci' && !(name in manifest.scripts))).toEqual([]);
    expect(scripts).toContain('codegen');
  });

  test('name files and folders that there are', () => {
    const files = named.filter((name) => /^[\w./-]+(?:\/|\.\w+)$/.test(name));
    expect(files.filter((name) => !existsSync(path.join(ROOT, name)))).toEqual([]);
    expect(files).toContain('generated/');
  });
});

test('llms.txt has the same pages (https://llmstxt.org)', async () => {
  const sections = index
    .slice(index.indexOf('\n## ') + 1)
    .replaceAll(/\]\(([^)]+)\)/g, (_, link: string) => `](${path.posix.normalize(`docs/${link}`)})`);
  const text = `# Unified Tool Gateway\n\n> ${manifest.description}\n\n${ESSENTIALS}\n\n${sections}`;
  await expect(text).toMatchFileSnapshot(path.join(ROOT, 'llms.txt'));
});
