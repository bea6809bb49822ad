import { execFileSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { createEvalsCommand } from '../../../scripts/evals/command.ts';
import { readRequests } from '../../../scripts/evals/requests.ts';
import { readResults } from '../../../scripts/tools-diff/eval-results.ts';
import { loadConnectors } from '../../../server/call/tools/catalogue/connectors.ts';
import {
  type Asked,
  type ModelEndpoint,
  type ModelOptions,
  type Play,
  startModel,
} from '../../evals/scripted-model.ts';
import { runInProcess } from '../../support/run-command.ts';
import { runScript } from '../../support/run-script.ts';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const KEY = 'sk-never-print-this';
const BRAND = '5f0c1f6e-3d0b-4c57-9a4e-0d6a3a1c7b21';
const PERSONS = `crm /v2/persons`;
const ANA = 'Which address does Ana Ruiz have?';
const COUNT = 'How many companies are there?';
const [AGAIN, WELL, MORE] = ['And again?', 'Well?', 'Her address, once more?'] as const;
const LEAVE = 'Take ada off every campaign.';
const ANAS_ADDRESS = 'ana.ruiz@nordrobotics.example';

const byName = { call: 'crm_list_persons', args: { where: { firstName: 'Ana', lastName: 'Ruiz' } } };
const say = (name: string, args: Record<string, unknown> = {}) => ({ name, args });
const askForAna = say(byName.call, byName.args);
const just = (value: unknown) =>
  function* (): Play {
    yield* [];
    return value;
  };
const countCompanies = say('crm_list_companies', { aggregate: { count: true } });

vi.setConfig({ testTimeout: 120_000 });

let folder = '';
let kept = '';
let endpoint: ModelEndpoint | null = null;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'evals-'));
});
afterEach(async () => {
  await endpoint?.close();
  await rm(kept, { force: true });
});
afterAll(() => rm(folder, { recursive: true }));

const request = (ask: string, expected: string) => `  - { ask: '${ask}', expect: { ${expected} } }`;
const ofAna = (ask: string) =>
  request(ask, `list: ${PERSONS}, where: { firstName: Ana, lastName: Ruiz }, take: primaryEmailAddress`);
const ofCompanies = request(COUNT, 'list: crm /v2/companies, count: true');

async function writeRequests(lines: readonly string[], limit = 25_000): Promise<string> {
  const file = path.join(folder, 'requests.yaml');
  await writeFile(file, `world: 30\nlimit: ${limit}\nrequests:\n${lines.join('\n')}\n`);
  kept = path.join(folder, 'kept.json');
  return file;
}

/** Lets a model that plays by request go through the file. */
async function evaluate(
  file: string,
  plays: Readonly<Record<string, (asked: Asked) => Play>>,
  more: Partial<ModelOptions> & { args?: string[] } = {},
) {
  const { args = [], ...options } = more;
  const play = (asked: Asked) => plays[asked.messages[1]?.content ?? '']!(asked);
  endpoint = await startModel({ play, ...options });
  const fixed = ['--model-url', endpoint.url, '--model', 'scripted', '--results', kept];
  const result = await runInProcess(createEvalsCommand, [file, ...fixed, ...args]);
  return { ...result, results: await readResults(kept) };
}

describe('utg evals', () => {
  test('counts calls and tokens of parallel, broken and unknown calls, and completes what is answered rightly', async () => {
    const file = await writeRequests([ofAna(ANA), ofCompanies, ofAna(MORE)]);
    const read: string[] = [];
    const { out, code, results } = await evaluate(
      file,
      {
        *[ANA]() {
          read.push(...(yield [askForAna, countCompanies]));
          read.push(...(yield [say('crm_no_such_tool')]));
          read.push(...(yield [say('crm_list_persons', { where: { nobody: 1 } })]));
          return [` ${ANAS_ADDRESS.toUpperCase()}`];
        },
        *[COUNT]() {
          yield [say('broken')];
          return '3,0.0';
        },
        *[MORE]() {
          yield [askForAna];
          return 'somebody.else@nordrobotics.example';
        },
      },
      {
        change: (message, { messages }) =>
          messages.length === 2 && messages[1]?.content === COUNT
            ? {
                ...message,
                tool_calls: [
                  { id: 'x', type: 'function', function: { name: 'crm_list_lists', arguments: '{"limit": ' } },
                ],
              }
            : message,
      },
    );
    expect(code).toBe(0);
    expect(read[0]).toContain(ANAS_ADDRESS);
    expect(read[1]).toContain('"count":');
    expect(read[2]).toBe('There is no function crm_no_such_tool.');
    expect(read[3]).toContain('"nobody"');
    const [side] = results.sides;
    expect(side?.outcomes.map(({ completed, calls, why }) => [completed, calls, why])).toEqual([
      [true, 4, undefined],
      [true, 1, undefined],
      [false, 1, `1 missing: ${ANAS_ADDRESS}; 1 wrong: somebody.else@nordrobotics.example`],
    ]);
    expect(endpoint?.asked.at(-3)?.messages.at(-1)?.content).toBe(
      'The arguments are no JSON object. Send them as the schema says.',
    );
    expect(out).toMatch(/^\d+ tools of the working tree, mode lean, model scripted\n\ndone {3}calls {6}read/);
    expect(out).toMatch(/\nyes {8}4 +[\d,]+ +[\d,]+ +\d+\.\d s {2}Which address does Ana Ruiz have\?\n/);
    expect(out).toMatch(/\nNO {9}1 .* {2}Her address, once more\?\n {43}1 missing: /);
    expect(out).toMatch(
      /\n\nCompleted 2 of 3: 6 calls, [\d,]+ tokens read from tools, [\d,]+ used in all, \d+\.\d s\.\n\n$/,
    );
  });

  test('judges a change by the state of the world, and a question that changes it as wrong', async () => {
    const ada = 'ada@fjord.example';
    const file = await writeRequests([
      ofAna(ANA),
      request(
        LEAVE,
        `list: 'mailer /v1/brands/{brand_id}/contacts', where: { brand_id: ${BRAND}, email: '${ada}' }, becomes: { unsubscribe_all: true }`,
      ),
      request(
        `${LEAVE} Now.`,
        `list: 'mailer /v1/brands/{brand_id}/contacts', where: { brand_id: ${BRAND}, email: '${ada}' }, becomes: { unsubscribe_all: true }`,
      ),
    ]);
    const find = say('mailer_list_contacts', { brandId: BRAND, maxItems: 1, fields: ['email'] });
    const { email } = JSON.parse((await firstAnswer(file, find)).split('\n')[0]!).data[0] as { email: string };
    await writeFile(file, (await readFile(file, 'utf8')).replaceAll(ada, email));
    const leave = say('mailer_update_contact', { brandId: BRAND, contactId: email, unsubscribeAll: true });
    const { results } = await evaluate(file, {
      *[ANA]() {
        yield [askForAna, leave];
        return [ANAS_ADDRESS];
      },
      *[LEAVE]() {
        yield [leave];
        return 'Done.';
      },
      [`${LEAVE} Now.`]: just('Done.'),
    });
    expect(results.sides[0]?.outcomes.map(({ completed, why }) => [completed, why?.replace(/: \{.*/, '')])).toEqual([
      [false, 'it changed mailer /v1/brands/{brand_id}/contacts'],
      [true, undefined],
      [false, '1 missing'],
    ]);
  });

  test('ends a conversation that does not: by turns, by tokens, and when the model only talks', async () => {
    const file = await writeRequests([ofAna(ANA), ofAna(AGAIN), ofAna(WELL)], 1_500);
    const { results, code } = await evaluate(
      file,
      {
        *[ANA]() {
          for (;;) yield [say('nothing')];
        },
        *[AGAIN]() {
          for (;;) yield [say('crm_list_companies', { maxItems: 30 })];
        },
        [WELL]: just(null),
      },
      {
        args: ['--max-tokens', '100000000'],
        change: (message, { messages }) =>
          messages[1]?.content === WELL ? { role: 'assistant', content: 'It is hers.' } : message,
      },
    );
    expect(code).toBe(0);
    expect(results.sides[0]?.outcomes.map(({ calls, why }) => [calls > 40, why])).toEqual([
      [true, 'more than 50 turns'],
      [false, 'more than 1,500 tokens'],
      [false, 'it never called answer'],
    ]);
    expect(endpoint?.asked.at(-1)?.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user']);
  });

  test('stops before --max-tokens is passed, and goes on from there', async () => {
    const file = await writeRequests([ofAna(ANA), ofCompanies]);
    const plays = {
      *[ANA](): Play {
        yield [askForAna];
        return [ANAS_ADDRESS];
      },
      *[COUNT](): Play {
        yield [countCompanies];
        return 30;
      },
    };
    const usage = { prompt_tokens: 30_000, completion_tokens: 100 };
    const first = await evaluate(file, plays, { usage, args: ['--max-tokens', '95000'] });
    expect(first.code).toBe(1);
    expect(first.err).toBe(
      `The next turn could pass 95,000 tokens (--max-tokens). What is done is in ${kept}; the same command goes on from there.\n`,
    );
    expect(first.results).toMatchObject({
      done: false,
      spent: 60_200,
      sides: [{ outcomes: [{ ask: ANA, used: 60_200 }] }],
    });
    await endpoint?.close();
    const second = await evaluate(file, plays, { usage, args: ['--max-tokens', '200000'] });
    expect(second.code, second.err).toBe(0);
    expect(endpoint?.asked.map(({ messages }) => messages[1]?.content)).toEqual([COUNT, COUNT]);
    expect(second.results).toMatchObject({ done: true, spent: 120_400 });
    expect(second.out).toContain('Completed 2 of 2');
    await endpoint?.close();
    const other = await runInProcess(createEvalsCommand, [
      file,
      '--model-url',
      endpoint!.url,
      '--model',
      'other',
      '--results',
      kept,
    ]);
    expect([other.code, other.err]).toEqual([
      2,
      expect.stringContaining(`${kept} has results of scripted: name another file`),
    ]);
    const third = await evaluate(file, plays, { usage, args: ['--max-tokens', '200000'] });
    expect(third.results).toMatchObject({ done: true, spent: 120_400 });
    expect(endpoint?.asked).toHaveLength(4);
  });

  test('keeps what an earlier run left, also if it is stopped before it comes there', async () => {
    const file = await writeRequests([ofAna(ANA), ofCompanies]);
    const anas = function* (): Play {
      yield [askForAna];
      return [ANAS_ADDRESS];
    };
    const refused = { status: 400, body: '{"error":{"message":"no such model"}}' };
    const first = await evaluate(file, { [ANA]: anas }, { first: [null, null, refused] });
    expect([first.code, first.err]).toEqual([
      1,
      expect.stringContaining('The model endpoint answers 400: no such model. What is done'),
    ]);
    await endpoint?.close();
    await writeRequests([ofAna(AGAIN), ofAna(ANA)]);
    const second = await evaluate(file, { [AGAIN]: anas }, { first: [refused] });
    expect(second.results).toMatchObject({ pending: [{ ask: ANA, completed: true }], sides: [{ outcomes: [] }] });
    await endpoint?.close();
    const third = await evaluate(file, { [AGAIN]: anas });
    expect(third.results).toMatchObject({
      done: true,
      pending: [],
      sides: [{ outcomes: [{ ask: AGAIN }, { ask: ANA }] }],
    });
    expect(endpoint?.asked).toHaveLength(2);
  });

  test('keeps what is done at Ctrl-C', async () => {
    const file = await writeRequests([ofAna(ANA), ofCompanies]);
    const { code, err, results } = await evaluate(file, {
      *[ANA]() {
        yield [askForAna];
        return [ANAS_ADDRESS];
      },
      *[COUNT]() {
        process.emit('SIGINT');
        yield [countCompanies];
      },
    });
    expect([code, err]).toEqual([1, `Stopped. What is done is in ${kept}; the same command goes on from there.\n`]);
    expect(results).toMatchObject({ done: false, sides: [{ outcomes: [{ ask: ANA, completed: true }] }] });
  });

  test('offers the tools of a mode, and takes the key from the environment alone', async () => {
    const file = await writeRequests([ofCompanies]);
    process.env.MODEL_API_KEY = KEY;
    const play = function* (): Play {
      yield [say('call_reading_tool', { name: 'crm_list_companies', arguments: { aggregate: { count: true } } })];
      return 30;
    };
    const { out, err, results } = await evaluate(file, { [COUNT]: play }, { args: ['--modes', 'search,compact'] });
    delete process.env.MODEL_API_KEY;
    expect(endpoint?.authorization()).toBe(`Bearer ${KEY}`);
    expect(`${out}${err}${JSON.stringify(results)}`).not.toContain(KEY);
    const offered = endpoint?.asked.map(({ tools }) => tools.length);
    const tools = (await loadConnectors(ROOT)).flatMap((connector) => connector.tools).length;
    expect(offered).toEqual([5, 5, tools + 2, tools + 2]);
    const functions = endpoint?.asked[2]?.tools.map((tool) => tool.function.name) ?? [];
    expect(functions.filter((name) => !/^[a-zA-Z0-9_-]{1,64}$/.test(name))).toEqual([]);
    expect(results.sides[0]?.outcomes.map(({ mode, completed }) => [mode, completed])).toEqual([
      ['search', true],
      ['compact', true],
    ]);
  });

  test.each([
    ['a request without an expectation', '  - { ask: a }', 'requests[0].expect'],
    [
      'an expectation of two things',
      `  - { ask: a, expect: { list: ${PERSONS}, count: true, take: id } }`,
      'has exactly one of',
    ],
    ['a misspelt key', `  - { ask: a, expect: { list: ${PERSONS}, takes: id } }`, 'requests[0].expect'],
    [
      'an unknown test',
      `  - { ask: a, expect: { list: ${PERSONS}, where: { firstName: { startsWith: A } }, count: true } }`,
      'requests[0].expect.where.firstName',
    ],
    ['the same request twice', [ofAna(ANA), ofAna(ANA)].join('\n'), 'two requests have the same ask'],
  ])('refuses %s', async (_, lines, why) => {
    const file = await writeRequests([lines]);
    const { code, err } = await runInProcess(createEvalsCommand, [
      file,
      '--model-url',
      'http://127.0.0.1:9',
      '--model',
      'm',
    ]);
    expect([code, err]).toEqual([2, expect.stringContaining(why)]);
  });

  test('reads the file that the guide shows', async () => {
    const guide = await readFile(path.join(ROOT, 'docs/guides/evals.md'), 'utf8');
    const [, text = ''] = /```yaml\n([\s\S]+?)```/.exec(guide) ?? [];
    const file = await writeRequests([]);
    await writeFile(file, text);
    expect((await readRequests(file)).requests.map(({ expect: { list } }) => list)).toEqual([
      PERSONS,
      'billing /v1/customers',
      'retrieval /documents',
    ]);
  });

  test('refuses a mode and a service that do not exist', async () => {
    const file = await writeRequests([request('a', 'list: shop /orders, count: true')]);
    const wrong = await runInProcess(createEvalsCommand, [
      file,
      '--model-url',
      'http://127.0.0.1:9',
      '--model',
      'm',
      '--modes',
      'none',
    ]);
    expect([wrong.code, wrong.err]).toEqual([
      2,
      expect.stringContaining('There is no mode none. Modes: lean, full, compact, search'),
    ]);
    const { code, err } = await evaluate(file, {});
    expect([code, err]).toEqual([
      2,
      expect.stringContaining('A request expects something of shop, and there is no such service.'),
    ]);
  });
});

/** What a tool answers in the world of the file. */
async function firstAnswer(file: string, call: ReturnType<typeof say>): Promise<string> {
  let text = '';
  const play = function* (): Play {
    [text = ''] = yield [call];
    return '';
  };
  await evaluate(file, { [ANA]: play, [LEAVE]: play, [`${LEAVE} Now.`]: play });
  await endpoint?.close();
  return text;
}

describe('a comparison', () => {
  test('says what a change of tools does to each request, and the tool report says it too', async () => {
    const root = await mkdtemp(path.join(tmpdir(), 'evals-project-'));
    const git = (...args: string[]) =>
      execFileSync('git', ['-C', root, '-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], {
        stdio: 'pipe',
      });
    await mkdir(path.join(root, 'generated'));
    await mkdir(path.join(root, 'specs'));
    for (const each of ['generated/crm', 'specs/crm'])
      await cp(path.join(ROOT, each), path.join(root, each), { recursive: true });
    await symlink(path.join(ROOT, 'node_modules'), path.join(root, 'node_modules'));
    await writeFile(path.join(root, 'package.json'), '{"type":"module"}');
    await writeFile(
      path.join(root, 'generated/index.ts'),
      "import { crm } from './crm/index.ts';\n\nexport const connectors = [crm];\n",
    );
    await writeFile(path.join(root, '.gitignore'), 'node_modules\n*.json\n');
    git('init', '-q', '-b', 'main');
    git('add', '-A');
    git('commit', '-qm', 'First');
    const tool = path.join(root, 'generated/crm/tools/crm-list-opportunities.ts');
    await writeFile(tool, (await readFile(tool, 'utf8')).replaceAll("'crm_list_opportunities'", "'crm_list_deals'"));
    const DEALS = 'How many deals are there?';
    const file = await writeRequests([request(DEALS, 'list: crm /v2/opportunities, count: true'), ofCompanies]);
    await cp(file, path.join(root, 'requests.yaml'));
    endpoint = await startModel({
      *play({ messages }): Play {
        const name = messages[1]?.content === DEALS ? 'crm_list_opportunities' : 'crm_list_companies';
        const [text = ''] = yield [say(name, countCompanies.args)];
        return /"count":(\d+)/.exec(text)?.[1];
      },
    });
    const run = async (...args: string[]) => {
      const script = runScript(path.join(ROOT, 'scripts/utg.ts'), args, {}, root);
      return [await script.ended(), script.output()] as const;
    };
    const [code, output] = await run(
      'evals',
      'requests.yaml',
      '--model-url',
      endpoint.url,
      '--model',
      'm',
      '--compare',
      'HEAD',
    );
    expect(code, output).toBe(0);
    expect(output).toMatch(
      /\nAgainst HEAD \([0-9a-f]{7}\): 0 better, 1 worse, 1 about the same\.\n {2}worse {3}How many deals are there\? No longer completed: 1 missing: .*\.\n$/,
    );
    const [, report] = await run('tools:diff', 'HEAD', '--evals', 'requests.results.json');
    expect(report).toContain(
      'Requests of people: 0 better, 1 worse, 1 about the same.\n\n- worse: How many deals are there? No longer completed',
    );
    const [, json] = await run('tools:diff', 'HEAD', '--format', 'json', '--evals', 'requests.results.json');
    expect(JSON.parse(json).requests).toMatchObject({ better: [], same: 1 });

    const old = path.join(root, 'old.json');
    await cp(path.join(root, 'requests.results.json'), old);
    git('checkout', '-q', '.');
    const [, back] = await run(
      'evals',
      'requests.yaml',
      '--model-url',
      endpoint.url,
      '--model',
      'm',
      '--compare',
      'old.json',
    );
    expect(back).toContain(
      'Against old.json: 1 better, 0 worse, 1 about the same.\n  better  How many deals are there? Now completed.\n',
    );
    const [refused, why] = await run('tools:diff', 'HEAD', '--evals', 'old.json');
    expect([refused, why]).toEqual([
      2,
      expect.stringContaining('old.json is about other tools than these two: run utg evals again.'),
    ]);
    await rm(root, { recursive: true });
  });
});
