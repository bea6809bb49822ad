import type { ServiceSurface, ToolSurface } from '../../../codegen/report/types.ts';

export function toolSurface(changes: Partial<ToolSurface> = {}): ToolSurface {
  const tool = {
    file: 'generated/notes/tools/notes-list.ts',
    name: 'notes_list',
    title: 'List notes',
    description: 'Lists notes.',
    operation: { id: 'list', method: 'GET', path: '/notes', server: '{base_url}' },
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
    inputSchema: { type: 'object', properties: {}, required: [], additionalProperties: false },
    outputSchema: { type: 'object' },
    members: {},
    sends: {},
    styles: {},
    callOptions: {},
    pathArguments: [],
    bodyType: null,
    ...changes,
  };
  return { ...tool, members: { name: tool.name, ...changes.members } };
}

export function serviceSurface(tools: readonly ToolSurface[], changes: Partial<ServiceSurface> = {}): ServiceSurface {
  return { service: 'notes', file: 'generated/notes/index.ts', members: {}, tools, notExposed: [], ...changes };
}

export function withInput(properties: Readonly<Record<string, unknown>>, changes: Partial<ToolSurface> = {}) {
  return toolSurface({ inputSchema: { type: 'object', properties, additionalProperties: false }, ...changes });
}
