/** Runs the MCP Inspector's command line against a gateway. Only `.ci/run` installs it. */

import { execFile } from 'node:child_process';
import { findTool } from './fuller-checks.ts';

/** Path of the launcher; null if it is not installed, which prints why the tests are skipped. */
export const INSPECTOR = findTool('@modelcontextprotocol/inspector/clients/launcher/build/index.js');

export interface Inspected {
  readonly exitCode: number;
  /** JSON. */
  readonly output: string;
}

/** @param era `legacy` or `modern`. */
export function inspect(
  { url, token }: { readonly url: string; readonly token: string },
  era: string,
  ...args: readonly string[]
): Promise<Inspected> {
  const header = `Authorization: Bearer ${token}`;
  const common = ['--cli', url, '--transport', 'http', '--header', header, '--protocol-era', era, '--format', 'json'];
  return new Promise((done) => {
    execFile(
      process.execPath,
      [INSPECTOR ?? '', ...common, ...args],
      { maxBuffer: 16 * 1024 * 1024 },
      (error, stdout) => done({ exitCode: error === null ? 0 : Number(error.code ?? 1), output: stdout }),
    );
  });
}

/** Calls a tool. */
export function inspectCall(
  gateway: { readonly url: string; readonly token: string },
  era: string,
  { name, arguments: args }: { readonly name: string; readonly arguments: object },
): Promise<Inspected> {
  const call = ['--method', 'tools/call', '--tool-name', name, '--tool-args-json', JSON.stringify(args)];
  return inspect(gateway, era, ...call);
}
