import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { decideService } from '../../../codegen/decide.ts';
import { lockDigest, type McpLock, type McpTool } from '../../../shared/mcp/lock.ts';

let root = '';
beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'mcp-'));
  await mkdir(path.join(root, 'specs/notes'), { recursive: true });
});
afterEach(() => rm(root, { recursive: true, force: true }));

const toolOf = (name: string, members: Partial<McpTool> = {}): McpTool => ({
  name,
  description: 'Does it.',
  inputSchema: { type: 'object' },
  ...members,
});

const lockOf = (...tools: McpTool[]): McpLock => ({
  url: 'https://mcp.example.com/mcp',
  serverInfo: { name: 'notes', version: '1' },
  protocolVersion: '2026-07-28',
  capabilities: {},
  lockedAt: '2026-11-30',
  digest: lockDigest(tools),
  tools,
});

const OPEN = 'credential: { schemes: [] }\n';

async function decide(lock: unknown, config = '') {
  const folder = path.join(root, 'specs/notes');
  await writeFile(path.join(folder, 'mcp.json'), typeof lock === 'string' ? lock : JSON.stringify(lock));
  await writeFile(path.join(folder, 'connector.yaml'), OPEN + config);
  const { decided, problems } = await decideService({ root, service: 'notes' });
  const tools = new Map(decided?.connector.tools.map((tool) => [tool.mcp?.tool ?? '', tool]));
  return { tools, problems, connector: decided?.connector };
}

test('the address of the server keeps its final slash', async () => {
  const { connector } = await decide({ ...lockOf(toolOf('a')), url: 'https://mcp.example.com/mcp/' });
  expect(connector?.servers[0]?.variables[0]?.default).toBe('https://mcp.example.com/mcp/');
});

describe('a list that is not what the server sent', () => {
  test.each<[string, unknown, string]>([
    [
      'was edited',
      { ...lockOf(toolOf('a')), digest: lockDigest([toolOf('b')]) },
      'The digest is not that of the tools',
    ],
    ['names a tool twice', lockOf(toolOf('a'), toolOf('a')), 'The tool "a" is listed twice.'],
    ['has a tool without a schema', { ...lockOf(), tools: [{ name: 'a' }] }, 'tools.0.inputSchema'],
    ['has a boolean schema', lockOf({ ...toolOf('a'), inputSchema: true as never }), 'tools.0.inputSchema'],
    ['has an address with a secret', { ...lockOf(), url: 'https://u:p@example.com/' }, 'url'],
    ['has an address with a line break', { ...lockOf(), url: 'https://example.com/\r\nX-Admin: 1' }, 'url'],
    ['nests a schema without end', lockOf(toolOf('a', { inputSchema: nest(100) })), 'nested deeper than 64 levels'],
  ])('%s, and is an error', async (_title, lock, message) => {
    const { problems, connector } = await decide(lock);
    expect(problems).toMatchObject([{ code: 'mcp-lock-invalid', message: expect.stringContaining(message) }]);
    expect(connector).toBeUndefined();
  });

  test('is no JSON, and is an error of its syntax', async () => {
    expect((await decide('{')).problems).toMatchObject([{ code: 'syntax' }]);
  });
});

test('a descriptor and a list of an MCP server in one folder are an error', async () => {
  await writeFile(path.join(root, 'specs/notes/openapi.json'), '{}');
  expect((await decide(lockOf())).problems).toMatchObject([{ code: 'descriptor-ambiguous' }]);
});

test('tools that cannot be called are listed with the reason', async () => {
  const { connector } = await decide(
    lockOf(
      toolOf('array', { inputSchema: { type: 'array' } }),
      toolOf('dialect', { inputSchema: { type: 'object', $schema: 'http://json-schema.org/draft-03/schema#' } }),
      toolOf('naïve \u202e'),
      toolOf('..', { inputSchema: { type: 'object', properties: { a: { $ref: '#/$defs/gone' } }, required: ['a'] } }),
    ),
  );
  expect(connector?.tools).toEqual([]);
  const reasons = connector?.notExposed.map(({ reason }) => reason).sort();
  expect(reasons).toEqual([
    expect.stringContaining('$ref'),
    expect.stringContaining('Its inputSchema is not of the type object.'),
    expect.stringContaining('dialect that is not supported'),
    expect.stringContaining('has characters other than letters'),
  ]);
});

test('a tool that declares a header where none may be is left out', async () => {
  const properties = { a: { type: 'number', 'x-mcp-header': 'A' } };
  const { connector } = await decide(lockOf(toolOf('routed', { inputSchema: { type: 'object', properties } })));
  expect(connector?.tools).toEqual([]);
  const reason = 'In its inputSchema, a is in the header A, but is no text, integer or boolean.';
  expect(connector?.notExposed[0]?.reason).toContain(reason);
});

test('tools whose names become one are a warning', async () => {
  const { problems } = await decide(lockOf(toolOf('getNote'), toolOf('get_note')));
  expect(problems).toMatchObject([{ code: 'tool-name-collision' }]);
});

test('arguments keep their names at the server, whatever they are', async () => {
  const schema = JSON.parse(
    '{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"number"}}}',
  );
  const { tools } = await decide(lockOf(toolOf('a', { inputSchema: schema })));
  const { body } = tools.get('a')?.call ?? {};
  const names = body?.kind === 'members' ? body.members.map(({ wireName }) => wireName) : [];
  expect(names.sort()).toEqual(['__proto__', 'constructor']);
});

test('a reference to a file of the service is not followed', async () => {
  await writeFile(path.join(root, 'specs/notes/other.json'), '{"type":"object","properties":{"secret":{}}}');
  const inputSchema = { type: 'object', properties: { a: { $ref: './other.json' } } };
  const { tools, problems } = await decide(lockOf(toolOf('a', { inputSchema })));
  expect(tools.get('a')?.inputSchema).toMatchObject({ properties: { a: {} } });
  expect(JSON.stringify([...tools])).not.toContain('secret');
  expect(problems).toMatchObject([{ code: 'descriptor-repaired' }, { code: 'argument-undescribed' }]);
});

describe('the effect of a tool', () => {
  const effectOf = (tools: Awaited<ReturnType<typeof decide>>['tools'], name: string) => {
    const { readOnlyHint, destructiveHint } = tools.get(name)?.annotations ?? {};
    const effect = readOnlyHint ? 'reads' : destructiveHint ? 'destroys' : 'writes';
    return [effect, tools.get(name)?.effectFrom];
  };

  test.each<[string, string, object | undefined, string, string | undefined]>([
    ['a word that deletes outranks a claim', 'delete_x', { readOnlyHint: true }, 'destroys', '"delete" in its name'],
    ['a word that writes outranks a claim', 'create_x', { readOnlyHint: true }, 'writes', '"create" in its name'],
    [
      'a claim of more outranks a word',
      'list_x',
      { destructiveHint: true },
      'destroys',
      'the claim of the server, destructiveHint: true',
    ],
    [
      'a claim decides without a word',
      'frobnicate',
      { readOnlyHint: true },
      'reads',
      'the claim of the server, readOnlyHint: true',
    ],
    ['a word decides without a claim', 'list_x', undefined, 'reads', '"list" in its name'],
    ['nothing said is a tool that writes', 'frobnicate', undefined, 'writes', undefined],
  ])('%s', async (_title, name, annotations, effect, evidence) => {
    const members = annotations === undefined ? {} : { annotations: annotations as never };
    const { tools } = await decide(lockOf(toolOf(name, members)));
    expect(effectOf(tools, name)).toEqual([effect, evidence]);
  });

  test('is a decision for a person where a claim contradicts the words, until connector.yaml has it', async () => {
    const lock = lockOf(toolOf('delete_x', { annotations: { readOnlyHint: true } }));
    expect((await decide(lock)).problems).toMatchObject([{ code: 'effect-claim-contradicted' }]);
    const hints =
      'hints: { readOnlyHint: true, destructiveHint: false, reason: It only shows what a deletion would do. }';
    const { problems, tools } = await decide(lock, `tools: { notes_x: { operation: delete_x, ${hints} } }`);
    expect(problems).toEqual([]);
    expect(effectOf(tools, 'delete_x')).toEqual(['reads', undefined]);
  });

  test('is decided by hints that say something else than without them', async () => {
    const hints = 'hints: { readOnlyHint: false, reason: It writes. }';
    const { problems } = await decide(
      lockOf(toolOf('frobnicate')),
      `tools: { notes_x: { operation: frobnicate, ${hints} } }`,
    );
    expect(problems).toMatchObject([{ code: 'config-hint-unchanged', message: 'readOnlyHint is false by default.' }]);
  });
});

function nest(levels: number): Record<string, unknown> {
  return levels === 0 ? { type: 'object' } : { type: 'object', properties: { a: nest(levels - 1) } };
}
