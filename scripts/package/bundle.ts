/** Bundles what the package runs: few files load faster than hundreds, and every module exists once. */

import path from 'node:path';
import { type ExternalOption, type Plugin, rolldown } from 'rolldown';

/** Folder of all bundled files in the package. */
export const BUNDLE = 'bundle';

/** The modules that are loaded at a start. They become one file. */
const START = ['scripts/utg/run.ts', 'server/command.ts', 'server/call/tools/catalogue/connectors.ts'];
/** Modules that are loaded before the version of Node is known to be new enough, so never together with the others. */
const FIRST = /\/(server\/node-version\.ts|package\.json)$/;
/** Native code, and the package that `pg` tries to load if it is installed. */
const NEVER = ['better-sqlite3', 'pg-native'];

/**
 * Writes one file for each entry and, between them, one for what a start loads and one for each part that is loaded later.
 *
 * The code still finds the files that the package has next to its sources: `import.meta` keeps its meaning. A program or thread
 * that the code starts as `new URL('./name.ts', import.meta.url)` becomes an entry too.
 *
 * @param root folder of the repository.
 * @param to folder of the package.
 * @param entries names of files in `bundle/` without their ending, and the source of each.
 * @param peers packages that are not bundled.
 * @returns folders of the bundled packages.
 * @throws {Error} if a module would exist twice: what one copy made, the other would not know.
 */
export async function writeBundle(
  root: string,
  to: string,
  { entries, peers }: { readonly entries: Readonly<Record<string, string>>; readonly peers: readonly string[] },
): Promise<ReadonlySet<string>> {
  const atStart = new Set<string>();
  const started = new Set<string>();
  /** Modules that programs and threads load, by their file. */
  const ofStarted = new Map<string, Set<string>>();
  const bundle = await rolldown({
    cwd: root,
    input: { ...entries },
    platform: 'node',
    external: isExternal(peers),
    plugins: [
      keepPlaces(root, started),
      shareBuiltins(),
      whenBuilt((modulesOf) => {
        for (const file of START) for (const id of modulesOf(path.join(root, file))) atStart.add(id);
        for (const file of started) ofStarted.set(file, modulesOf(file));
      }),
      writeAscii(),
    ],
    logLevel: 'silent',
  });
  const { output } = await bundle.write({
    dir: path.join(to, BUNDLE),
    comments: false,
    chunkFileNames: '[name]-[hash].js',
    codeSplitting: {
      groups: [
        { name: 'node-version', test: FIRST, priority: 1 },
        { name: (id) => (started.has(id) ? null : nameOfStarted(id, ofStarted)), priority: 1 },
        { name: 'gateway', test: (id) => atStart.has(id) },
      ],
    },
  });
  const modules = output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
  const twice = modules.filter((id, at) => modules.indexOf(id) !== at);
  if (twice.length > 0) throw new Error(`in more than one file of the bundle: ${twice.join(', ')}`);
  return new Set(modules.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? []));
}

/**
 * Returns the test for packages that are not bundled. A package that another package needs is bundled with it, also if it is a peer dependency of the
 * gateway.
 */
function isExternal(peers: readonly string[]): ExternalOption {
  const names = [...NEVER, ...peers];
  return (id, importer) =>
    (importer?.includes('/node_modules/') === true ? NEVER : names).some((name) => `${id}/`.startsWith(`${name}/`));
}

/** Lets code find files relative to its source, and the manifest of the package. Adds what it starts as programs to `started`. */
function keepPlaces(root: string, startedFiles: Set<string>): Plugin {
  return {
    name: 'keep-places',
    load: {
      filter: { id: path.join(root, 'package.json') },
      handler: () => ({
        code: `import { readFileSync } from 'node:fs';
          export default JSON.parse(readFileSync(new URL('./package.json', import.meta.url), 'utf8'));`,
        moduleType: 'js',
      }),
    },
    transform: {
      filter: { id: { exclude: /node_modules/ }, code: /import\.meta\.(dirname|filename|url)/ },
      handler(code, id) {
        const source = `../${path.relative(root, id).replace(/\.ts$/, '.js')}`;
        const folder = `import.meta.dirname + ${JSON.stringify(`/${path.dirname(source)}`)}`;
        const placed = {
          dirname: `(${folder})`,
          filename: `(import.meta.dirname + ${JSON.stringify(`/${source}`)})`,
          url: `new URL(${JSON.stringify(source)}, import.meta.url).href`,
        };
        return code.replaceAll(
          /new URL\('(\.{1,2}\/[\w./-]+)\.ts', import\.meta\.url\)|import\.meta\.(dirname|filename|url)/g,
          (_, started: string | undefined, place: keyof typeof placed) => {
            if (started === undefined) return placed[place];
            const name = path.basename(started);
            const file = `${path.join(path.dirname(id), started)}.ts`;
            startedFiles.add(file);
            this.emitFile({ type: 'chunk', id: file, fileName: `${name}.js` });
            return `new URL('./${name}.js', import.meta.url)`;
          },
        );
      },
    },
  };
}

/** `import ... from 'node:http'` would load all that it exports, such as another undici: a tenth of a start (measured). */
function shareBuiltins(): Plugin {
  return {
    name: 'share-builtins',
    resolveId: { filter: { id: /^(node:)?http$/ }, handler: () => '\0http' },
    load: { filter: { id: /^\0http$/ }, handler: () => "module.exports = process.getBuiltinModule('node:http');" },
  };
}

/** Returns the name of the file for a module of threads: each thread loads only what it uses. Null for other modules. */
function nameOfStarted(id: string, ofStarted: ReadonlyMap<string, ReadonlySet<string>>): string | null {
  const users = [...ofStarted].filter(([, modules]) => modules.has(id)).map(([file]) => path.basename(file, '.ts'));
  return users.length === 0 ? null : users.join('-and-');
}

/** Calls `read` with a function that returns all modules that a file loads at once, and the file itself. */
function whenBuilt(read: (modulesOf: (file: string) => Set<string>) => void): Plugin {
  return {
    name: 'when-built',
    buildEnd() {
      read((file) => {
        const found = new Set<string>();
        const waiting = [file];
        for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
          const module = found.has(id) || FIRST.test(id) ? null : this.getModuleInfo(id);
          if (module === null) continue;
          found.add(id);
          waiting.push(...module.importedIds);
        }
        return found;
      });
    },
  };
}

/** A file with other characters takes twice its size in memory. */
function writeAscii(): Plugin {
  const toEscape = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return {
    name: 'write-ascii',
    renderChunk: (code) => code.replaceAll(/[^\0-\x7f]/g, toEscape),
  };
}
