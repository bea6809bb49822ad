import { describe, expect, it } from 'vitest';
import { spliceTools } from '../../../server/mcp/splice.ts';
import { createCatalogue } from '../../../server/tools/catalogue/catalogue.ts';
import { loadConnectors } from '../../../server/tools/catalogue/connectors.ts';
import type { ToolProvider } from '../../../server/tools/provider.ts';
import { ECHO_TOOL, legacyRequest, modernRequest, provideTools, startEndpoint } from './support.ts';

const IDS = [1, 'a', '"tools":[]', '\\"tools\\":[]', 'ünïcödé'] as const;

async function answersOf(tools: ToolProvider, splice: boolean) {
  const endpoint = await startEndpoint({ tools, splice });
  try {
    const requests = IDS.flatMap((id) => [
      modernRequest({ method: 'tools/list', id }),
      legacyRequest({ method: 'tools/list', id }),
    ]);
    return await Promise.all(
      requests.map(async (init) => {
        const response = await fetch(endpoint.url, init);
        const body = Buffer.from(await response.arrayBuffer());
        return { body: body.toString('utf8'), bytes: body.byteLength, length: response.headers.get('content-length') };
      }),
    );
  } finally {
    await endpoint.close();
  }
}

describe('a spliced list', () => {
  it('is equal, byte for byte, to what the SDK writes itself, in both eras', async () => {
    const tools = provideTools({}, [ECHO_TOOL, { ...ECHO_TOOL, name: 'library_ключ' }]);
    const [spliced, plain] = [await answersOf(tools, true), await answersOf(tools, false)];
    expect(spliced.map(({ body }) => body)).toEqual(plain.map(({ body }) => body));
    expect(spliced.map(({ length }) => length)).toEqual(spliced.map(({ bytes }) => String(bytes)));
    expect(spliced[0]!.body).toContain('"name":"library_echo"');
  });

  it('of all generated tools is what the SDK would publish, too', async () => {
    const connectors = await loadConnectors();
    const catalogue = createCatalogue(connectors);
    const services = connectors.map(({ name }) => name);
    const tools = { ...provideTools({}), list: () => catalogue.list(services, { readOnly: false }) };
    const [spliced, plain] = [await answersOf(tools, true), await answersOf(tools, false)];
    expect(spliced.map(({ body }) => body)).toEqual(plain.map(({ body }) => body));
    expect(JSON.parse(spliced[0]!.body).result.tools).toHaveLength(connectors.flatMap(({ tools: all }) => all).length);
  });

  it('of nobody is empty', async () => {
    const [first] = await answersOf(provideTools({}, []), true);
    expect(JSON.parse(first!.body).result.tools).toEqual([]);
  });
});

describe('spliceTools', () => {
  const list = { json: Buffer.from('[{"name":"ä"}]') };
  const splice = async (text: string) => (await spliceTools(new Response(text, { status: 200 }), list)).text();

  it('replaces the one empty list', async () => {
    expect(await splice('{"result":{"tools":[]},"id":"\\"tools\\":[]"}')).toBe(
      '{"result":{"tools":[{"name":"ä"}]},"id":"\\"tools\\":[]"}',
    );
  });

  for (const text of ['{"result":{}}', '{"tools":[],"more":{"tools":[]}}', '{"tools":[1]}']) {
    it(`leaves ${text} alone`, async () => {
      expect(await splice(text)).toBe(text);
    });
  }
});
