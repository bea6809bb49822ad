/** package.json of a new project: this package's commands as its scripts, and the package itself as its dependency. */

import manifest from '../../package.json' with { type: 'json' };

/** Commands that have a script of their own, as in the gateway's own repository; `npm run utg --` runs every command. */
const SCRIPTS = ['start', 'demo', 'codegen', 'tools:diff', 'connector'];

/** Without scope; null for a name that npm would refuse. */
export function toPackageName(folder: string): string | null {
  const name = folder
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .replace(/^[._-]+/, '');
  return name === '' || name.length > 214 || name === manifest.name ? null : name;
}

/**
 * Scripts have the same names as in the gateway's own repository, so that every message and document applies to both.
 *
 * The packages that only codegen and the sandbox need are development dependencies: `npm ci --omit=dev` omits them.
 */
export function buildManifest(name: string): object {
  const { peerDependencies = {} } = manifest as { readonly peerDependencies?: Readonly<Record<string, string>> };
  return {
    name,
    version: '0.0.0',
    private: true,
    type: 'module',
    engines: manifest.engines,
    scripts: {
      ...Object.fromEntries(SCRIPTS.map((command) => [command, `utg ${command}`])),
      utg: 'utg',
      typecheck: 'tsc',
    },
    dependencies: { [manifest.name]: `^${manifest.version}`, 'openapi-fetch': manifest.dependencies['openapi-fetch'] },
    devDependencies: peerDependencies,
  };
}
