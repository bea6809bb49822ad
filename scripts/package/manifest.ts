/** package.json in its published form. */

interface RepositoryManifest {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly engines: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

const COMMAND = './scripts/utg.js';

/**
 * Packages that the gateway needs at run time are dependencies; those that codegen, the report and the sandbox need in addition are
 * optional peers, so that a production installation can omit them.
 *
 * @param imports packages that the published code imports.
 */
export function buildManifest(repository: RepositoryManifest, imports: ReadonlySet<string>) {
  const { name, version, description, license, engines, exports, dependencies, devDependencies } = repository;
  const peers = Object.entries(devDependencies).filter(([each]) => imports.has(each) && !each.startsWith('@types/'));
  return {
    name,
    version,
    description,
    license,
    type: 'module',
    engines,
    bin: { [name]: COMMAND, utg: COMMAND },
    exports: {
      ...Object.fromEntries(Object.entries(exports).map(([entry, file]) => [entry, toPublished(file)])),
      './package.json': './package.json',
    },
    dependencies,
    peerDependencies: Object.fromEntries(peers),
    peerDependenciesMeta: Object.fromEntries(peers.map(([each]) => [each, { optional: true }])),
  };
}

function toPublished(file: string): { readonly types: string; readonly default: string } {
  return { types: file.replace(/\.ts$/, '.d.ts'), default: file.replace(/\.ts$/, '.js') };
}
