import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parse } from 'yaml';
import { createAddCommand, createUpdateCommand } from '../../../../scripts/connector/command.ts';
import type { OpenBrowser } from '../../../../scripts/connector/mcp/sign-in.ts';
import { RECIPES } from '../../../../scripts/connector/recipe.ts';
import { type CommandResult, runInProcess } from '../../../support/run-command.ts';

export interface Project {
  readonly root: string;
  add(...args: readonly string[]): Promise<CommandResult>;
  update(...args: readonly string[]): Promise<CommandResult>;
  read(file: string): Promise<string>;
  lock(
    service: string,
  ): Promise<{ readonly [member: string]: unknown; readonly tools: readonly { readonly name: string }[] }>;
  config(service: string): Promise<Record<string, unknown>>;
  isEmpty(): Promise<boolean>;
  remove(): Promise<void>;
}

export async function createProject(open: OpenBrowser = () => {}): Promise<Project> {
  const root = await mkdtemp(path.join(tmpdir(), 'mcp-'));
  const read = (file: string) => readFile(path.join(root, file), 'utf8');
  const options = ['--root', root, '--allow-private'];
  return {
    root,
    add: (...args) => runInProcess((output) => createAddCommand(output, RECIPES, open), [...args, ...options]),
    update: (...args) => runInProcess((output) => createUpdateCommand(output, open), [...args, ...options]),
    read,
    lock: async (service) => JSON.parse(await read(`specs/${service}/mcp.json`)),
    config: async (service) => parse(await read(`specs/${service}/connector.yaml`)),
    isEmpty: async () => (await stat(path.join(root, 'specs')).catch(() => null)) === null,
    remove: () => rm(root, { recursive: true, force: true }),
  };
}

export const toolOf = (name: string, members: object = {}) => ({
  name,
  description: `Does ${name}.`,
  inputSchema: { type: 'object', properties: {} },
  ...members,
});
