import { appendFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createAddCommand, createUpdateCommand } from '../../../scripts/connector/command.ts';
import { startHost } from '../../server/call/upstream/support.ts';
import { runInProcess } from '../../support/run-command.ts';

let root = '';
let host: Awaited<ReturnType<typeof startHost>>;
const answers: Record<string, string> = {};
const run = (command: 'add' | 'update', ...args: string[]) =>
  runInProcess(command === 'add' ? createAddCommand : createUpdateCommand, [
    ...args,
    '--root',
    root,
    '--allow-private',
  ]);
const toDescriptor = (...operationIds: string[]) =>
  JSON.stringify({
    openapi: '3.0.3',
    info: { title: 'Notes', version: '1' },
    servers: [{ url: 'https://notes.example.com' }],
    paths: Object.fromEntries(
      operationIds.map((id) => [`/${id}`, { get: { operationId: id, responses: { 200: { description: 'Me.' } } } }]),
    ),
  });
beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'update-'));
  host = await startHost((request, response) => {
    const text = answers[request.url ?? ''];
    response.writeHead(text === undefined ? 404 : 200).end(text);
  });
  for (const service of ['alpha', 'beta', 'gamma']) {
    answers[`/${service}`] = toDescriptor('whoAmI', 'list');
    await run('add', `${host.origin}/${service}`, '--name', service);
  }
});
afterEach(async () => {
  await host.close();
  await rm(root, { recursive: true, force: true });
});

describe('update', () => {
  test('reports what it wrote', async () => {
    const file = path.join(root, 'in.yaml');
    await writeFile(file, `# Notes\n${toDescriptor('whoAmI', 'list')}`);
    const { out } = await run('update', 'alpha', file);
    for (const line of [
      'Wrote specs/alpha/openapi.yaml.',
      'Removed specs/alpha/openapi.json.',
      'Removed specs/alpha/source.json.',
    ]) {
      expect(out).toContain(`${line}\n`);
    }
    expect((await run('update', 'alpha', file)).out).toContain('specs/alpha/ already has this descriptor.\n');
  });

  test.each<[string, string | null, string]>([
    ['is a page to sign in', '<!doctype html><h1>Sign in</h1>', 'is not an OpenAPI descriptor'],
    ['is JSON of something else', '{"message":"Moved"}', 'is not an OpenAPI descriptor'],
    ['is empty', '', 'is not an OpenAPI descriptor'],
    ['is unreachable', null, 'cannot be fetched'],
  ])('changes nothing if what is at the address %s', async (_title, answer, message) => {
    const folder = path.join(root, 'specs/alpha');
    const filesOf = async () =>
      Promise.all((await readdir(folder)).map((name) => readFile(path.join(folder, name), 'utf8')));
    const before = await filesOf();
    if (answer === null) await host.close();
    else answers['/alpha'] = answer;
    const { code, err } = await run('update', 'alpha');
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
    expect(await filesOf()).toEqual(before);
  });

  test('reports how the tools change with what is now at the address', async () => {
    answers['/alpha'] = toDescriptor('whoAmI', 'list', 'search');
    const { code, out } = await run('update', 'alpha');
    expect(code).toBe(0);
    expect(out).toContain(`alpha: ${host.origin}/alpha\n`);
    expect(out).toContain(`${host.origin}/alpha is not what it was.\n`);
    expect(out).toContain('Operation appeared upstream that no tool offers: GET /search of alpha');
    expect((await run('update', 'alpha')).out).toContain('specs/alpha/ already has this descriptor.');
  });

  test('does not report an acknowledgement as unused if an earlier change may need it', async () => {
    const config = path.join(root, 'specs/alpha/connector.yaml');
    await appendFile(config, "\nacknowledged:\n  '0123456789ab': An earlier change.\n");
    const { code, out } = await run('update', 'alpha');
    expect(code).toBe(0);
    expect(out).not.toContain('they can go');
    expect(out).toContain('1 acknowledgement in `specs/alpha/connector.yaml` concerns other changes');
  });
});

describe('update <service>', () => {
  test('fetches from the address of the service', async () => {
    answers['/alpha'] = toDescriptor('whoAmI', 'list', 'search');
    const { code, out } = await run('update', 'alpha');
    expect(code).toBe(0);
    expect(out).toContain(`alpha: ${host.origin}/alpha\n`);
    expect(out).toContain('Wrote specs/alpha/openapi.json.');
    expect(await readFile(path.join(root, 'specs/alpha/openapi.json'), 'utf8')).toBe(answers['/alpha']);
  });

  test('asks for a descriptor where it knows no address, and says nothing of changes', async () => {
    await rm(path.join(root, 'specs/alpha/source.json'));
    const { code, out, err } = await run('update', 'alpha');
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain('utg update alpha <file-or-url>');
  });
});

describe('update --all', () => {
  test('updates every fetched service, reports each, and continues after one that fails', async () => {
    delete answers['/alpha'];
    answers['/beta'] = toDescriptor('list');
    answers['/gamma'] = toDescriptor('whoAmI', 'list', 'search');
    const reports = path.join(root, 'reports');
    const { code, err } = await run('update', '--all', '--reports', reports);
    expect(code).toBe(1);
    expect(err).toContain(`alpha: ${host.origin}/alpha answers 404.`);
    const read = (service: string) => readFile(path.join(reports, `${service}.md`), 'utf8');
    expect(await read('alpha')).toBe(`It was not updated: ${host.origin}/alpha answers 404.\n`);
    expect(await read('beta')).toContain('config-operation-unknown');
    expect(await read('gamma')).toContain('Operation appeared upstream that no tool offers');
    expect(await readFile(path.join(root, 'specs/gamma/openapi.json'), 'utf8')).toBe(answers['/gamma']);
  });

  test('leaves services from a file unchanged', async () => {
    for (const service of ['alpha', 'beta', 'gamma']) await rm(path.join(root, 'specs', service, 'source.json'));
    const before = host.hits();
    const { code, out } = await run('update', '--all');
    expect([code, host.hits() - before]).toEqual([0, 0]);
    expect(out).toContain('No service has a source.json');
  });

  test.each([
    [['update'], 'Name a service, or --all.'],
    [['update', 'alpha', '--all'], 'Name a service, or --all.'],
    [['update', 'alpha', '--reports', 'x'], '--reports needs --all.'],
  ] as const)('%j is refused', async ([command, ...args], message) => {
    const { code, err } = await run(command, ...args);
    expect([code, err.includes(message)]).toEqual([2, true]);
  });

  test.each(['{"source":1}', '{"source":"/etc/passwd"}', '{"source":"file:///etc/passwd"}', '{'])(
    'rejects a record that it did not write: %s',
    async (record) => {
      await writeFile(path.join(root, 'specs/alpha/source.json'), record);
      const { code, err } = await run('update', '--all');
      expect([code, err.includes('is not what `utg add` writes')]).toEqual([1, true]);
    },
  );
});
