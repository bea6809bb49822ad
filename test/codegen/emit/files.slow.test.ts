import { describe, expect, test } from 'vitest';
import { generate } from '../../../codegen/generate.ts';
import { lockDigest } from '../../../shared/mcp/lock.ts';
import { compileGenerated } from '../compile.ts';
import { writeRoot } from '../load/service-files.ts';

const DESCRIPTOR = `openapi: 3.1.0
info: { title: Notes, version: '1' }
servers: [{ url: https://notes.example.com }]
security: [{ oauth: [] }]
paths:
  /notes:
    get:
      operationId: listNotes
      parameters:
        - { name: token, in: query, required: true, schema: { type: string } }
        - { name: q, in: query, schema: { type: string } }
      responses: { '200': { description: Notes. } }
    post:
      operationId: addNote
      requestBody:
        required: true
        content:
          application/json:
            schema:
              allOf:
                - $ref: '#/components/schemas/Signed'
                - { type: object, required: [text], properties: { text: { type: string } } }
      responses: { '200': { description: The note. } }
  /members:
    get:
      operationId: listMembers
      security: [{ oauth: [], org: [] }]
      parameters:
        - { name: org_key, in: query, required: true, schema: { type: string } }
      responses: { '200': { description: Members. } }
components:
  schemas:
    Signed: { type: object, required: [token], properties: { token: { type: string } } }
  securitySchemes:
    oauth: { type: http, scheme: bearer }
    org: { type: apiKey, in: query, name: org_key }
`;

async function generated(config: string) {
  const root = await writeRoot({ 'specs/notes/openapi.yaml': DESCRIPTOR, 'specs/notes/connector.yaml': config });
  const { files, diagnostics } = await generate({ root });
  return { files, errors: diagnostics.filter(({ severity }) => severity === 'error') };
}

describe('generated files compile', () => {
  test.each([
    [
      'without a parameter and a member that repeat the credential',
      'credential: { repeated: [query.token, body.token] }',
    ],
    [
      'without a parameter that a credential of few tools fills',
      'credential: { schemes: [oauth], extras: [{ label: Owner, schemes: [org] }] }',
    ],
  ])('%s', async (_, config) => {
    const { files, errors } = await generated(config);
    expect(errors).toEqual([]);
    expect(compileGenerated(files)).toEqual([]);
  });
});

test('a service without tools of an MCP server has no client and no types', async () => {
  const lock = {
    url: 'https://mcp.example.com/mcp',
    serverInfo: { name: 'notes', version: '1' },
    protocolVersion: '2026-07-28',
    capabilities: {},
    lockedAt: '2026-11-30',
    digest: lockDigest([]),
    tools: [],
  };
  const root = await writeRoot({
    'specs/notes/mcp.json': JSON.stringify(lock),
    'specs/notes/connector.yaml': 'credential: { schemes: [] }',
  });
  const { files, diagnostics } = await generate({ root });
  expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  expect(files.map(({ path }) => path)).toEqual([
    'generated/notes/TOOLS.md',
    'generated/notes/index.ts',
    'generated/index.ts',
  ]);
});
