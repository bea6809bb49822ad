import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import manifest from '../../package.json' with { type: 'json' };

interface Update {
  readonly 'package-ecosystem': string;
  readonly directory: string;
  readonly groups: Readonly<Record<string, { readonly patterns: readonly string[] }>>;
}
interface Field {
  readonly type: string;
  readonly id?: string;
  readonly attributes: { readonly label?: string; readonly value?: string };
}

const ROOT = path.resolve(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');
const nodes = Object.entries(manifest.optionalDependencies);

describe('the version of Node', () => {
  const [major] = nodes[0]![1].split('.');

  test('is the same for every platform', () => {
    expect(new Set(nodes.map(([, version]) => version)).size).toBe(1);
  });

  test.each([
    ['.nvmrc', /^(\d+)\n$/],
    ['.devcontainer/devcontainer.json', /"image": "node:(\d+)-/],
    ['.github/workflows/check.yml', /container: node:(\d+)-/],
    ['.github/workflows/release.yml', /node-version: (\d+)/],
  ])('in %s is the one that npm ci brings', (file, pattern) => {
    expect(pattern.exec(read(file))?.[1]).toBe(major);
  });
});

describe('the updates of dependencies', () => {
  const { updates } = parse(read('.github/dependabot.yml')) as { readonly updates: readonly Update[] };
  const npm = updates.find((each) => each['package-ecosystem'] === 'npm' && each.directory === '/')!;
  const names = [manifest.dependencies, manifest.devDependencies, manifest.optionalDependencies].flatMap(Object.keys);
  const groupOf = (name: string) =>
    Object.entries(npm.groups).find(([, { patterns }]) =>
      patterns.some((pattern) => path.posix.matchesGlob(name.replace('/', '+'), pattern.replace('/', '+'))),
    )?.[0];

  test('come for both lock files and the actions', () => {
    expect(updates.map((each) => `${each['package-ecosystem']} ${each.directory}`)).toEqual([
      'github-actions /',
      'npm /',
      'npm /.ci/tools',
    ]);
  });

  test('keep together what is released together, and no group is empty', () => {
    const grouped = Map.groupBy(names, groupOf);
    expect(grouped.get('node')).toEqual(nodes.map(([name]) => name));
    const released = names.filter((name) => name.startsWith('@opentelemetry/'));
    expect(grouped.get('telemetry')).toEqual(released);
    expect(Object.keys(npm.groups).filter((name) => !grouped.has(name))).toEqual([]);
  });
});

test('every path of CODEOWNERS exists', () => {
  const paths = [...read('.github/CODEOWNERS').matchAll(/^(\/\S+) @/gm)].map(([, each]) => each!);
  expect(paths.filter((each) => !existsSync(path.join(ROOT, each)))).toEqual([]);
  expect(paths.length).toBeGreaterThan(0);
});

describe('the issue forms', () => {
  const folder = '.github/ISSUE_TEMPLATE';
  const forms = readdirSync(path.join(ROOT, folder)).filter((name) => name !== 'config.yml');

  test.each(forms)('%s names itself, and each of its fields once', (name) => {
    const form = parse(read(`${folder}/${name}`)) as { name: string; description: string; body: readonly Field[] };
    expect(form.name).toMatch(/\S/);
    expect(form.description).toMatch(/\S/);
    const fields = form.body.filter(({ type }) => type !== 'markdown');
    expect(fields.filter(({ id, attributes }) => id === undefined || attributes.label === undefined)).toEqual([]);
    expect(new Set(fields.map(({ id }) => id)).size).toBe(fields.length);
  });
});
