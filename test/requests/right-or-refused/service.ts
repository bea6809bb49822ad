/** The connector that codegen makes of one descriptor, with a host that records requests. */

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { generate } from '../../../codegen/generate.ts';
import type { Connector } from '../../../server/contract/index.ts';
import { compileGenerated } from '../../codegen/compile.ts';
import { type FormsHost, importForms, startFormsHost } from '../bodies/forms.ts';

export interface Service {
  readonly connector: Connector;
  readonly host: FormsHost;
  /** `code message` of each diagnostic. */
  readonly diagnostics: readonly string[];
  /** The errors of `tsc` in the generated files. */
  readonly errors: readonly string[];
  /** `METHOD /path: reason` of each operation without a tool, as TOOLS.md lists them. */
  readonly toolsPage: string;
  close(): Promise<void>;
}

/**
 * @param members of an OpenAPI 3.0 document
 * @param config text of connector.yaml
 */
export async function startService(members: Readonly<Record<string, unknown>>, config?: string): Promise<Service> {
  const folder = await mkdtemp(path.join(tmpdir(), 'service-'));
  const specs = path.join(folder, 'specs/forms');
  await mkdir(specs, { recursive: true });
  const document = {
    openapi: '3.0.3',
    info: { title: 'Forms', version: '1' },
    servers: [{ url: 'https://forms.example' }],
    ...members,
  };
  await writeFile(path.join(specs, 'openapi.yaml'), JSON.stringify(document));
  if (config !== undefined) await writeFile(path.join(specs, 'connector.yaml'), config);
  const { files, diagnostics } = await generate({ root: folder });
  const imported = await importForms(files);
  const host = await startFormsHost(imported.connector);
  return {
    connector: imported.connector,
    host,
    diagnostics: diagnostics.map(({ code, message }) => `${code} ${message}`),
    errors: compileGenerated(files),
    toolsPage: files.find((file) => file.path.endsWith('/TOOLS.md'))?.text ?? '',
    close: async () => {
      await host.close();
      await imported.remove();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A response without content. */
export const DONE = { responses: { '204': { description: 'Done.' } } };
