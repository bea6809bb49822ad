import { createHash } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import { readPermission, writePermission } from '../../../../server/base/principal/permission.ts';
import { fakeConnector, fakeTool } from '../../../support/fake-connector.ts';
import { describeUserPage } from '../me/support.ts';

vi.setConfig({ testTimeout: 60_000 });

const skill = (name: string, tools: readonly string[], files: Record<string, string> = {}) => ({
  frontmatter: { name, description: `Does ${name}.`, metadata: { tools: tools.join(' ') } },
  tools,
  files: { 'SKILL.md': `---\nname: ${name}\ndescription: Does ${name}.\n---\n\nLend é.\n`, ...files },
});
const LIBRARY = {
  ...fakeConnector({
    tools: [fakeTool({ name: 'library_find' }), fakeTool({ name: 'library_lend', method: 'POST' })],
  }),
  skills: {
    find: skill('find', ['library_find'], { 'references/shelves.md': 'Shelf 1.\n' }),
    lend: skill('lend', ['library_find', 'library_lend']),
  },
};
const CONNECTORS = [
  LIBRARY,
  fakeConnector({ name: 'archive', title: 'Archive', tools: [fakeTool({ name: 'archive_read' })] }),
  {
    ...fakeConnector({ name: 'museum', title: 'Museum', tools: [fakeTool({ name: 'museum_visit' })] }),
    skills: { visit: skill('visit', ['museum_visit']) },
  },
];
const MODERN = '2026-07-28';
const FIND = 'skill://library/find/SKILL.md';
const LEND = 'skill://library/lend/SKILL.md';
const permission = (changes: object) => writePermission({ ...readPermission(null), ...changes });

const world = {
  connectors: CONNECTORS,
  upstream: (_: unknown, response: { end(text: string): void }) => response.end('{}'),
};

describeUserPage(
  'skills',
  (given) => {
    const listOf = async (token: string) => {
      const { result } = (await given.ask(token, 'skills/list', {}, MODERN)).body;
      expect(result).toMatchObject({ ttlMs: 0, cacheScope: 'private', resultType: 'complete' });
      return result.skills as { uri: string; resources: { uri: string; digest: string; size: number }[] }[];
    };
    const urisOf = async (token: string) => (await listOf(token)).map(({ uri }) => uri);
    const read = async (token: string, uri: string, revision = MODERN) =>
      (await given.ask(token, 'resources/read', { uri }, revision)).body;
    const get = async (token: string, uri: unknown) => (await given.ask(token, 'skills/get', { uri }, MODERN)).body;

    test('are declared with the extension, and listed with frontmatter, digest and size of every file', async () => {
      const { token } = await given.allow('Claude');
      const discovered = (await given.ask(token, 'server/discover', {}, MODERN)).body.result.capabilities;
      expect(discovered).toMatchObject({ resources: {}, extensions: { 'io.modelcontextprotocol/skills': {} } });
      const [find] = await listOf(token);
      expect(find).toMatchObject({ uri: FIND, frontmatter: LIBRARY.skills.find.frontmatter });
      expect(find!.resources.map(({ uri }) => uri)).toEqual([FIND, 'skill://library/find/references/shelves.md']);
      for (const { uri, digest, size } of find!.resources) {
        const [{ text, mimeType }] = (await read(token, uri)).result.contents;
        expect(mimeType).toBe('text/markdown');
        expect([digest, size]).toEqual([
          `sha256:${createHash('sha256').update(text).digest('hex')}`,
          Buffer.byteLength(text),
        ]);
      }
      expect((await get(token, FIND)).result.skill).toEqual(find);
    });

    test('are ordinary resources for clients of 2025, which have no such extension', async () => {
      const { token } = await given.allow('Claude');
      const initialize = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } };
      const { capabilities } = (await given.ask(token, 'initialize', initialize)).body.result;
      expect(capabilities.resources).toEqual({});
      expect(capabilities.extensions?.['io.modelcontextprotocol/skills']).toBeUndefined();
      expect((await given.ask(token, 'skills/list', {}, '2025-11-25')).body.error).toMatchObject({ code: -32_601 });
      const { resources } = (await given.ask(token, 'resources/list', {}, '2025-11-25')).body.result;
      expect(resources).toContainEqual({
        ...{ uri: FIND, name: 'find', description: 'Does find.', mimeType: 'text/markdown' },
        size: Buffer.byteLength(LIBRARY.skills.find.files['SKILL.md']!),
      });
      expect((await read(token, FIND, '2025-11-25')).result.contents[0].text).toContain('Lend é.');
    });

    test('are unknown where one of their tools is not allowed: not listed, not found, not read', async () => {
      const { token, grantId } = await given.allow('Claude');
      expect(await urisOf(token)).toEqual([FIND, LEND]);
      const narrow = (changes: object) =>
        given.store.db
          .updateTable('oauth_grants')
          .set(changes as never)
          .where('id', '=', grantId)
          .execute();
      const isUnknown = async (uri: string) => {
        expect((await get(token, uri)).error).toMatchObject({ code: -32_602, data: { uri } });
        for (const revision of [MODERN, '2025-11-25']) {
          expect((await read(token, uri, revision)).error).toMatchObject({ code: -32_602, data: { uri } });
          const { resources } = (await given.ask(token, 'resources/list', {}, revision)).body.result;
          expect(resources.map((one: { uri: string }) => one.uri)).not.toContain(uri);
        }
      };
      await narrow({ permission: permission({ without: ['library_lend'] }) });
      expect(await urisOf(token)).toEqual([FIND]);
      await isUnknown(LEND);
      await narrow({ permission: permission({ without: ['library_find'] }) });
      expect(await urisOf(token)).toEqual([]);
      await isUnknown(FIND);
      await isUnknown('skill://library/find/references/shelves.md');
      await narrow({ permission: null, services: 'archive' });
      await isUnknown(FIND);
      await narrow({ services: null });
      expect(await urisOf(token)).toEqual([FIND, LEND]);
      await isUnknown('skill://museum/visit/SKILL.md');
    });

    test('that write are not for a token that only reads, and end with the connection', async () => {
      const { token } = await given.allow('Claude', { scopes: ['tools:read'] });
      expect(await urisOf(token)).toEqual([FIND]);
      await given.store.db.deleteFrom('connections').where('service', '=', 'library').execute();
      expect(await urisOf(token)).toEqual([]);
    });

    test('are asked for with what has the form of a URI of theirs alone', async () => {
      const { token } = await given.allow('Claude');
      for (const uri of [
        'skill://library/find',
        'skill://library/find/../lend/SKILL.md',
        `${FIND}?`,
        FIND.toUpperCase(),
        7,
        null,
      ]) {
        expect((await get(token, uri)).error.code).toBe(-32_602);
      }
      for (const uri of ['skill://library/find', 'skill://library/../../etc/passwd', 'skill://__proto__/SKILL.md']) {
        expect((await read(token, uri)).error).toMatchObject({ code: -32_602, data: { uri } });
      }
      expect((await given.ask(token, 'skills/list', { cursor: 'x' }, MODERN)).body.error.code).toBe(-32_602);
    });
  },
  {},
  world as never,
);
