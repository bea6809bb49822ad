import { existsSync, readdirSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { generate } from '../../../codegen/generate.ts';
import {
  buildReport,
  createSurfaceReader,
  createTokenCounter,
  type FileTexts,
  formatJson,
  formatMarkdown,
  type ServiceSurface,
  withFacts,
} from '../../../codegen/report/index.ts';
import { RULES } from '../../../codegen/report/rules.ts';
import { loadAcknowledgements } from '../../../scripts/tools-diff/acknowledgements.ts';
import { addDescriptorFacts, buildFacts } from '../../../scripts/tools-diff/descriptor-facts.ts';
import { readSpecs } from '../../../scripts/tools-diff/specs-files.ts';
import { OPEN_PART_CASES } from './open-part.ts';

const CASES = path.join(import.meta.dirname, 'cases');
const UPDATES = process.env.UPDATE_GOLDEN === '1';
const WITHOUT_CASE = ['call-changed', 'changed-otherwise', 'output-schema-rewritten'];
const TODAY = '2026-12-01';

const cases = readdirSync(CASES).sort();
type Surfaces = readonly ServiceSurface[];

const reader = createSurfaceReader();
const countTokens = await createTokenCounter();

/** The folders of a case: those next to its report, or new ones for a case whose descriptors are made here. */
async function foldersOf(name: string): Promise<{ readonly before: string; readonly after: string }> {
  const made = OPEN_PART_CASES[name];
  if (made === undefined) return { before: path.join(CASES, name, 'before'), after: path.join(CASES, name, 'after') };
  const root = await mkdtemp(path.join(tmpdir(), 'report-case-'));
  onTestFinished(() => rm(root, { recursive: true }));
  const folders = { before: path.join(root, 'before'), after: path.join(root, 'after') };
  for (const side of ['before', 'after'] as const) {
    const folder = path.join(folders[side], 'specs/assets');
    await mkdir(folder, { recursive: true });
    await writeFile(path.join(folder, 'openapi.json'), JSON.stringify(made[side]));
  }
  return folders;
}

async function filesOf(root: string): Promise<FileTexts> {
  await mkdir(path.join(root, 'specs'), { recursive: true });
  const { files, diagnostics } = await generate({ root });
  expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  return new Map(files.map((file) => [file.path, file.text]));
}

/** Every file through the compiler's parser, which a comment at its end needs, and the whole schemas of every tool. */
async function readWhole(root: string, files: FileTexts): Promise<ServiceSurface[]> {
  const surfaces = createSurfaceReader().read(
    new Map([...files].map(([file, text]) => [file, `${text}// The end.\n`])),
  );
  const isThere = ({ service }: ServiceSurface) => existsSync(path.join(root, 'specs', service));
  return Promise.all(surfaces.map(async (surface) => (isThere(surface) ? withWholeTools(root, surface) : surface)));
}

async function withWholeTools(root: string, surface: ServiceSurface): Promise<ServiceSurface> {
  const specs = await readSpecs({ folder: root }, surface.service);
  const names = new Set(surface.tools.map(({ name }) => name));
  return withFacts(surface, await buildFacts(specs, surface.tools, { differing: names, open: names }));
}

describe.each(cases)('case %s', (name) => {
  test('gives the report next to it', async () => {
    const { before, after } = await foldersOf(name);
    const files = { before: await filesOf(before), after: await filesOf(after) };
    const acknowledged = await loadAcknowledgements(after);
    const reportOf = (sides: { readonly before: Surfaces; readonly after: Surfaces }) =>
      buildReport({ ...sides, base: 'before', head: 'after', ...acknowledged, countTokens, today: TODAY });
    const published = { before: reader.read(files.before), after: reader.read(files.after) };
    const report = reportOf(await addDescriptorFacts(published, { folder: before }, after));
    const whole = { before: await readWhole(before, files.before), after: await readWhole(after, files.after) };
    expect(formatJson(report)).toBe(formatJson(reportOf(whole)));
    expect(report.groups.map(({ rule }) => rule)).toContain(name);
    const text = formatMarkdown(report);
    const file = path.join(CASES, name, 'report.md');
    if (UPDATES) await writeFile(file, text);
    else expect(text).toBe(await readFile(file, 'utf8'));
  });
});

test('every rule has a case, except those for what codegen does not write', () => {
  const rules = Object.keys(RULES).filter((rule) => !WITHOUT_CASE.includes(rule));
  expect(rules.filter((rule) => !existsSync(path.join(CASES, rule, 'report.md')))).toEqual([]);
});
