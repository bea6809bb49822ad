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
import { toRecord } from '../../codegen/json.ts';
import { applyOverlay } from '../../codegen/load/overlay/apply.ts';
import { overlaySchema } from '../../codegen/load/overlay/read.ts';
import { listRecipes, loadRecipe, type Recipe } from '../../scripts/connector/recipe.ts';
import { CREDENTIAL, callEach, loadConnector } from '../../scripts/lab/corpus/calls/call.ts';
import { checkTools } from '../../scripts/lab/corpus/check-tools.ts';
import { readDocument, valueAt } from '../../scripts/lab/corpus/document.ts';
import { addService, compileLayout, createLayout } from '../../scripts/lab/corpus/layout.ts';
import { pathOf } from '../../scripts/lab/corpus/sources/index.ts';
import type { Connector } from '../../server/contract/index.ts';
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

/** The validator takes minutes for a large document: what the called operations send is left of it. */
function withoutTheRest(
  document: Readonly<Record<string, unknown>>,
  called: readonly { method: string; path: string }[],
) {
  const { paths, components, ...rest } = document;
  const kept = Object.entries(toRecord(paths)).flatMap(([name, item]) => {
    const own = called.filter((one) => one.path === name).map(({ method }) => method.toLowerCase());
    const parts = Object.entries(toRecord(item)).flatMap(([key, part]): [string, unknown][] => {
      if (own.includes(key)) return [[key, { ...toRecord(part), responses: { 200: { description: '' } } }]];
      return key === 'parameters' || key === 'servers' || key === '$ref' ? [[key, part]] : [];
    });
    return own.length === 0 ? [] : [[name, Object.fromEntries(parts)] as const];
  });
  const own: Record<string, Record<string, unknown>> = {};
  const keep = (value: unknown) => {
    for (const [, group = '', name = ''] of JSON.stringify(value).matchAll(/"#\/components\/([^/"]+)\/([^/"]+)/g)) {
      const part = toRecord(toRecord(components)[group])[name];
      own[group] ??= {};
      if (part === undefined || name in own[group]) continue;
      own[group][name] = part;
      keep(part);
    }
  };
  keep(kept);
  return { ...rest, paths: Object.fromEntries(kept), components: own };
}

/** The servers as the recipe decides them, each with the tenant of the connection that calls. */
function serversOf(
  { servers }: Connector,
  { config }: Recipe,
): { readonly servers?: readonly { readonly url: string }[] } {
  if (Object.keys(config.serverVariables).length === 0) return {};
  const filled = ({ variables }: Connector['servers'][number], name: string) => {
    const found = variables.find((one) => one.name === name);
    return found?.asked === true ? CREDENTIAL : String(found?.default);
  };
  return {
    servers: servers.map((server) => ({
      url: server.url.replaceAll(/\{([^{}]+)\}/g, (_, name: string) => filled(server, name)),
    })),
  };
}

/** The descriptor as codegen reads it: converted and repaired, and with what it refers to in other operations in its place. */
async function readRepaired(root: string, service: string): Promise<Readonly<Record<string, unknown>>> {
  const folder = path.join(root, 'specs', service);
  const file = ['openapi.json', 'openapi.yaml'].find((name) => existsSync(path.join(folder, name))) ?? '';
  const document = readDocument(await readFile(path.join(folder, file), 'utf8'));
  const overlay = overlaySchema.safeParse(
    parse(await readFile(path.join(folder, 'overlay.yaml'), 'utf8').catch(() => 'null')),
  );
  if (overlay.success) applyOverlay(document, overlay.data);
  const inline = (value: unknown, above: readonly string[]): unknown => {
    if (Array.isArray(value)) return value.map((one) => inline(one, above));
    if (typeof value !== 'object' || value === null) return value;
    const { $ref } = toRecord(value);
    if (typeof $ref === 'string' && $ref.startsWith('#/paths/') && !above.includes($ref)) {
      return inline(valueAt(document, $ref), [...above, $ref]);
    }
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, inline(one, above)]));
  };
  return toRecord(inline(document, []));
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
    typeErrors = compileLayout(root).errors;
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
      const tokens = tools.reduce((sum, tool) => sum + sizeOf(tool).lean, 0);
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

    test(
      'sends what its descriptor allows',
      async () => {
        const generated = await loadConnector({ root, service }, resultOf().files);
        if (generated === null) throw new Error(`${service} exports no connector.`);
        const { tools: decided, credential } = recipe.config;
        const found = Object.values(decided).flatMap(({ find }) => find?.tool ?? []);
        const tools = generated.tools
          .filter(({ name }) => !found.includes(name))
          .map(({ approval: _approval, ...tool }) => tool);
        const published = await readRepaired(root, service);
        const document = { ...published, ...serversOf(generated, recipe) };
        const called = tools.map(({ operation }) => operation);
        const calls = await callEach({ ...generated, tools }, withoutTheRest(document, called), service);
        /** What the recipe sends in every call, and where a credential stands in the path. */
        const isOurs = (tool: string, problem: string) =>
          Object.keys({ ...recipe.config.defaults.fixed, ...decided[tool]?.fixed }).some((place) =>
            problem.startsWith(`${place.replace('body.', '')} of the body is`),
          ) ||
          [...(credential?.parts ?? []), ...(credential?.also ?? [])].some(
            (part) => 'name' in part && problem.startsWith(`/params/${part.name}:`),
          );
        const judged = calls.map(({ problems, ...call }) => {
          const left = problems.filter((problem) => !isOurs(call.tool, problem));
          return {
            ...call,
            problems: left,
            verdict: problems.length > 0 && left.length === 0 ? 'right' : call.verdict,
          };
        });
        const wrong = judged.filter(({ verdict }) => !['right', 'open', 'unjudged'].includes(verdict));
        expect(
          wrong.map(({ tool, verdict, problems, arguments: args }) => ({ tool, verdict, problems, args })),
        ).toEqual([]);
        const right = new Set(
          judged.filter(({ verdict }) => verdict === 'right' || verdict === 'open').map(({ tool }) => tool),
        );
        expect(right.size / tools.length).toBeGreaterThanOrEqual(0.9);
      },
      TIMEOUT_MS,
    );
  });
});
