/** Connectors of the descriptors beside this file, as codegen makes them: generated, compiled, loaded. */

import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { EmittedFile } from '../../../codegen/emit/index.ts';
import { generate } from '../../../codegen/generate.ts';
import type { Connector } from '../../../server/contract/index.ts';
import { loadConnectors } from '../../../server/tools/catalogue/connectors.ts';
import { compileGenerated } from '../../codegen/compile.ts';

const ROOT = path.resolve(import.meta.dirname, '../../..');
/** One operation for each form of parameter. */
export const DESCRIPTOR = path.join(import.meta.dirname, 'openapi.yaml');

export interface Forms {
  readonly connector: Connector;
  /** Folder that holds `generated/forms`. */
  readonly root: string;
  readonly files: readonly EmittedFile[];
  /** What `tsc` says of the files. */
  readonly errors: readonly string[];
  close(): Promise<void>;
}

/** @param edit Changes the text of the descriptor. @param config Text of `connector.yaml`; absent: there is none. */
export async function generateForms(
  descriptor = DESCRIPTOR,
  edit: (text: string) => string = (text) => text,
  config?: string,
): Promise<Forms> {
  const root = await mkdtemp(path.join(tmpdir(), 'forms-'));
  await mkdir(path.join(root, 'specs/forms'), { recursive: true });
  await writeFile(path.join(root, 'specs/forms/openapi.yaml'), edit(await readFile(descriptor, 'utf8')));
  if (config !== undefined) await writeFile(path.join(root, 'specs/forms/connector.yaml'), config);
  const { files, diagnostics } = await generate({ root });
  const errors = diagnostics.filter(({ severity }) => severity === 'error').map(({ message }) => message);
  for (const file of files) {
    await mkdir(path.dirname(path.join(root, file.path)), { recursive: true });
    await writeFile(path.join(root, file.path), file.text);
  }
  await symlink(path.join(ROOT, 'node_modules'), path.join(root, 'node_modules'));
  await writeFile(path.join(root, 'package.json'), '{ "type": "module" }\n');
  const [connector] = await loadConnectors(root);
  if (connector === undefined) throw new Error('nothing was generated');
  return {
    connector,
    root,
    files,
    errors: [...errors, ...compileGenerated(files)],
    close: () => rm(root, { recursive: true, force: true }),
  };
}
