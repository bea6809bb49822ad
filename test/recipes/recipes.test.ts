import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { getDomain } from 'tldts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { emitIndex } from '../../codegen/emit/index.ts';
import { createToolSizer } from '../../codegen/emit/tool-size.ts';
import { generate, type ServiceResult } from '../../codegen/generate.ts';
import { listRecipes, loadRecipe, type Recipe } from '../../scripts/connector/recipe.ts';
import { checkTools } from '../../scripts/lab/corpus/check-tools.ts';
import { addService, compileLayout, createLayout } from '../../scripts/lab/corpus/layout.ts';
import { pathOf } from '../../scripts/lab/corpus/sources.ts';
import { createToolIndex } from '../../shared/search/index.ts';
import { toSearchWords } from '../../shared/search/search-words.ts';

/** The step of `.ci/run` that has fetched every descriptor. */
const IS_STEP = process.env.RECIPES === '1';
const TIMEOUT_MS = 120_000;
const MAX_AVERAGE_TOKENS = 300;
const MIN_TOOLS = 8;
const MAX_TOOLS = 40;

const names = await listRecipes();
const recipes = await Promise.all(names.map((name) => loadRecipe(name)));
const requests = new Map(
  await Promise.all(
    names.map(async (name): Promise<[string, Record<string, string>]> => {
      const file = path.join(import.meta.dirname, 'requests', `${name}.yaml`);
      return [name, parse(await readFile(file, 'utf8'))];
    }),
  ),
);
const asked = process.env.RECIPE ?? '';
const here = recipes.filter((recipe) => recipe.service.includes(asked) && existsSync(pathOf(first(recipe))));
for (const recipe of IS_STEP ? [] : recipes.filter((each) => !here.includes(each))) {
  process.stderr.write(
    `skipped: the tools of ${recipe.service}: npm run lab -- corpus --fetch brings its descriptor\n`,
  );
}

function first({ checked }: Recipe) {
  const [copy] = checked;
  if (copy === undefined) throw new Error('A recipe was checked with something.');
  return copy;
}

describe.each(recipes.map((recipe) => [recipe.service, recipe] as const))('the recipe %s', (service, recipe) => {
  const { config, text } = recipe;

  test('selects tools, and has words of its own for each of their arguments', () => {
    const tools = Object.entries(config.tools);
    expect(config.expose).toBe('selection');
    expect(tools.length).toBeGreaterThanOrEqual(MIN_TOOLS);
    expect(tools.length).toBeLessThanOrEqual(MAX_TOOLS);
    expect(config.verify?.tool).toBeDefined();
    const own = config.defaults.arguments ?? {};
    for (const [name, tool] of tools) {
      expect(name).toMatch(new RegExp(`^${service.replaceAll('-', '_')}_`));
      expect([name, tool.title, tool.description]).toEqual([name, expect.any(String), expect.any(String)]);
      const silent = Object.entries(tool.arguments ?? {}).filter(
        ([key, one]) => !(one.description ?? own[key]?.description),
      );
      expect([name, silent.map(([key]) => key)]).toEqual([name, []]);
    }
    expect(text).not.toContain('$schema=');
  });

  test('has ten requests of a person, each for one of its tools', () => {
    const own = Object.entries(requests.get(service) ?? {});
    const found = Object.values(config.tools).flatMap(({ find }) => find?.tool ?? []);
    const known = [...Object.keys(config.tools), ...found];
    expect(own.length).toBeGreaterThanOrEqual(10);
    for (const [request, tool] of own) expect([request, known]).toEqual([request, expect.arrayContaining([tool])]);
  });

  test('sends secrets only to the domains of the vendor whose pages were read', () => {
    expect(Object.keys(recipe.read)).not.toEqual([]);
    const urls = [...text.matchAll(/\b(?:authorizationUrl|tokenUrl|refreshUrl|revocationUrl|issuer): (\S+)/g)].map(
      ([, url = '']) => url,
    );
    const domains = Object.keys(recipe.read).map((page) => getDomain(page));
    expect(urls.filter((url) => !url.startsWith('https://') || !domains.includes(getDomain(url)))).toEqual([]);
  });
});

describe.skipIf(here.length === 0 && !IS_STEP)('with the descriptors that they were checked with', () => {
  let root = '';
  let typeErrors: readonly string[] = [];
  const results = new Map<string, ServiceResult>();

  beforeAll(async () => {
    root = await createLayout();
    for (const recipe of here) {
      const { service, text, overlay } = recipe;
      await addService(root, service, { file: pathOf(first(recipe)) });
      await writeFile(path.join(root, 'specs', service, 'connector.yaml'), text);
      if (overlay !== null) await writeFile(path.join(root, 'specs', service, 'overlay.yaml'), overlay);
      const { services } = await generate({ root, services: [service] });
      const [result] = services;
      if (result === undefined) throw new Error(`${service} was not generated.`);
      results.set(service, result);
      for (const { path: name, text: source } of result.files) {
        await mkdir(path.dirname(path.join(root, name)), { recursive: true });
        await writeFile(path.join(root, name), source);
      }
    }
    const index = emitIndex([...results].filter(([, { files }]) => files.length > 0).map(([service]) => service));
    await writeFile(path.join(root, index.path), index.text);
    typeErrors = compileLayout(root);
  }, 10 * TIMEOUT_MS);

  afterAll(() => rm(root, { recursive: true, force: true }));

  test.runIf(IS_STEP)('every descriptor is there', () => {
    expect(here.map(({ service }) => service)).toEqual(names);
  });

  describe.each(here.map((recipe) => [recipe.service, recipe] as const))('%s', (service, recipe) => {
    const resultOf = () => {
      const result = results.get(service);
      if (result?.connector == null) throw new Error(JSON.stringify(result?.diagnostics, null, 1));
      return { ...result, connector: result.connector };
    };

    test('is generated without an error or a warning, and compiles', async () => {
      expect(hash('sha256', await readFile(pathOf(first(recipe))))).toBe(first(recipe).sha256);
      const loud = (results.get(service)?.diagnostics ?? []).filter(({ severity }) => severity !== 'info');
      expect(loud.map(({ code, pointer, message, fix }) => `${code} ${pointer}: ${message} ${fix}`)).toEqual([]);
      expect(checkTools(resultOf().connector, null)).toEqual([]);
      expect(typeErrors.filter((line) => line.startsWith(`generated/${service}/`))).toEqual([]);
    });

    test('describes every required argument itself', () => {
      const { tools, defaults } = recipe.config;
      const found = Object.values(tools).flatMap(({ find }) => find?.tool ?? []);
      for (const { name, arguments: args } of resultOf().connector.tools.filter((tool) => !found.includes(tool.name))) {
        const known = [tools[name]?.arguments, defaults.arguments].flatMap((each) => Object.keys(each ?? {}));
        const unknown = args.filter((argument) => argument.required && !known.includes(argument.name));
        expect([name, unknown.map((argument) => argument.name)]).toEqual([name, []]);
      }
    });

    test(`costs at most ${MAX_AVERAGE_TOKENS} tokens a tool on average`, async () => {
      const sizeOf = await createToolSizer();
      const { tools } = resultOf().connector;
      const tokens = tools.reduce((sum, tool) => sum + sizeOf(tool), 0);
      expect(tokens / tools.length).toBeLessThanOrEqual(MAX_AVERAGE_TOKENS);
    });

    test('has its tools found by what people ask', () => {
      const { connector } = resultOf();
      const words = connector.tools.map((tool) => [tool.name, toSearchWords(tool, connector)] as const);
      const index = createToolIndex(new Map(words));
      const missed = Object.entries(requests.get(service) ?? {}).flatMap(([request, tool]) => {
        const found = index.search(request, 5, () => true).names;
        return found.includes(tool) ? [] : [`${request}: ${tool} is not among ${found.join(', ')}`];
      });
      expect(missed).toEqual([]);
    });
  });
});
