/** Adds a service by its recipe, and reports how the vendor's current descriptor affects the recipe's tools. */

import { copyFile, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseDocument } from 'yaml';
import { runCodegen } from '../../codegen/command.ts';
import { decideService } from '../../codegen/decide.ts';
import { type Diagnostic, toDiagnostic } from '../../codegen/diagnostics.ts';
import { toRecord } from '../../codegen/json.ts';
import { pointerTokens } from '../../codegen/json-pointer.ts';
import type { ConnectorConfig } from '../../codegen/load/connector-config.ts';
import { formatDiagnostics } from '../../codegen/print.ts';
import type { ToolModel } from '../../codegen/tools/types.ts';
import type { Output } from '../../shared/cli/output.ts';
import { UsageError, UTG } from '../../shared/cli/run.ts';
import { toSchemaPath } from './add.ts';

import { formatUnfollowed, type Outcome } from './add-report.ts';
import { toCount, toList } from './proposals/draft.ts';
import { countTools, listRecipes, loadRecipe, type Recipe } from './recipe.ts';
import { RECORD } from './record.ts';
import { type CommandRules, readWithProgress, writeServiceFiles } from './service-files.ts';

/** Options for applying a recipe. */
interface RecipeOptions extends CommandRules {
  /** A file or URL to read in place of the vendor's address. Null if the vendor's address is read. */
  readonly from: string | null;
  /** Folder of recipes. Default: those that the package has. */
  readonly recipes?: string;
}

/** The effects of a descriptor on a recipe. */
interface Findings {
  /** Null if the recipe cannot be applied; `line` then says why. */
  readonly differences: readonly string[] | null;
  /** Names of the recipe's tools that the descriptor does not allow. */
  readonly lostTools: readonly string[];
  /** For the terminal. */
  readonly line: string;
}

/** Repairs of connector.yaml come one after another, because the end of one may begin the next. */
const MAX_ROUNDS = 8;

/**
 * Adds a service by its recipe. Writes nothing if the descriptor cannot be read, has errors, or allows no tool of the recipe.
 *
 * @returns `partial` if tools of the recipe are left out. The output names each of them.
 * @throws {UsageError} for a service that exists, an unknown recipe, and a source that cannot be read.
 */
export async function addRecipe(
  { root, service, ...options }: RecipeOptions & { readonly root: string; readonly service: string },
  output: Output,
): Promise<Outcome> {
  const recipe = await loadRecipe(service, options.recipes);
  const folder = path.join(root, 'specs', service);
  if ((await stat(folder).catch(() => null)) !== null) {
    throw new UsageError(`specs/${service}/ already exists; \`utg update ${service}\` fetches its descriptor again.`);
  }
  const { line, differences, lostTools } = await applyRecipe(recipe, root, options, output).catch(
    async (error: unknown) => {
      await rm(folder, { recursive: true, force: true });
      throw error;
    },
  );
  output.out(line);
  const tools = Object.keys(recipe.config.tools).length - lostTools.length;
  if (differences === null || tools === 0) {
    await rm(folder, { recursive: true });
    output.err(differences === null ? 'Nothing was added.\n' : `Nothing was added: ${NO_TOOL}.\n`);
    return 'failed';
  }
  if (!(await runCodegen({ root, services: [service] }, output))) {
    output.err(`specs/${service}/ stays: correct what the errors name, then run ${UTG} codegen ${service}.\n`);
    return 'failed';
  }
  const pages = Object.entries(recipe.read).map(([page, what]) => `  ${what}: ${page}\n`);
  output.out(`\nWrote specs/${service}/. Users sign in by ${recipe.signIn}; these pages were read for it:\n`);
  output.out(`${pages.join('')}\nThen read generated/${service}/TOOLS.md.\n`);
  if (lostTools.length === 0) return 'whole';
  output.out(
    `${service}: ${toCount(tools, 'tool')} of ${Object.keys(recipe.config.tools).length}. Left out: ${toList(lostTools)}.\n`,
  );
  return 'partial';
}

const NO_TOOL = 'the descriptor has no operation of any tool of the recipe';

/**
 * Fetches the descriptors that vendors publish now, and reports how they affect recipes. It stores nothing.
 *
 * @param services names of recipes. If there are none, all recipes are checked.
 * @returns true if every descriptor could be read, and no tool of a recipe differs.
 */
export async function checkRecipes(
  services: readonly string[],
  options: RecipeOptions,
  output: Output,
): Promise<boolean> {
  let isUpToDate = true;
  for (const service of services.length === 0 ? await listRecipes(options.recipes) : services) {
    const recipe = await loadRecipe(service, options.recipes);
    const root = await mkdtemp(path.join(tmpdir(), 'recipe-'));
    try {
      const { line, differences } = await applyRecipe(recipe, root, options, output);
      output.out(line);
      isUpToDate &&= differences?.length === 0;
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      output.out(`${service}: ${error.message}\n`);
      isUpToDate = false;
    } finally {
      await rm(root, { recursive: true, force: true });
    }
  }
  return isUpToDate;
}

/** Writes `specs/<service>/` with a connector.yaml that fits the descriptor. */
async function applyRecipe(recipe: Recipe, root: string, options: RecipeOptions, output: Output): Promise<Findings> {
  const { service, published, text, overlay, logo } = recipe;
  const folder = path.join(root, 'specs', service);
  const files = await readWithProgress(options.from ?? published, options, { service, output });
  output.err(formatUnfollowed(files.unfollowed));
  await mkdir(folder, { recursive: true });
  await writeServiceFiles(folder, files);
  // So that `update` knows where the vendor publishes it.
  if (files.record === null) await writeFile(path.join(folder, RECORD), `${JSON.stringify({ source: published })}\n`);
  const editor = `# yaml-language-server: $schema=${toSchemaPath(root, folder)}\n`;
  const write = (config: string) => writeFile(path.join(folder, 'connector.yaml'), editor + config);
  await write(text);
  if (overlay !== null) await writeFile(path.join(folder, 'overlay.yaml'), overlay);
  if (logo !== null) await copyFile(logo, path.join(folder, path.basename(logo)));
  const differences: string[] = [];
  const lostTools: string[] = [];
  const document = parseDocument(text);
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const { decided, loaded, problems, configFile } = await decideService({ root, service, isDraft: true });
    const errors = problems
      .map((problem) => toDiagnostic(problem, loaded.locate))
      .filter(({ severity }) => severity === 'error');
    const removedEntries = errors.flatMap((error) => (error.file === configFile ? (toRemovedEntry(error) ?? []) : []));
    if (removedEntries.length === 0) {
      if (decided === null || errors.length > 0) {
        return { differences: null, lostTools, line: `${service}: ${formatDiagnostics(errors, false)}` };
      }
      differences.push(...decided.connector.tools.flatMap((tool) => newlyRequired(tool, loaded.config)));
      const version = String(toRecord(toRecord(loaded.document).info).version);
      return { differences, lostTools, line: toLine(recipe, { sha256: files.sha256, version, differences }) };
    }
    for (const { keys, message } of removedEntries) {
      if (!document.hasIn(keys)) continue;
      document.deleteIn(keys);
      const [section, name, ...rest] = keys;
      if (section === 'tools' && name !== undefined && rest.length === 0) lostTools.push(name);
      differences.push(message);
    }
    await write(document.toString({ lineWidth: 0 }));
  }
  throw new UsageError(`The recipe ${service} does not fit this descriptor: too much of it has changed.`);
}

/** Returns the entry of connector.yaml that must be left out. Null if a recipe needs the entry. The entry is never about how users sign in. */
function toRemovedEntry({
  pointer,
  message,
}: Diagnostic): { readonly keys: readonly string[]; readonly message: string } | null {
  const keys = pointerTokens(pointer);
  const [section = '', , third] = keys;
  const depth = {
    tools: third === 'operation' ? 2 : 4,
    defaults: 3,
    verify: 1,
    account: 1,
    pagination: 1,
    synonyms: 2,
  };
  const entryKeys = Object.hasOwn(depth, section) ? keys.slice(0, depth[section as keyof typeof depth]) : [];
  return entryKeys.length === 0 ? null : { keys: entryKeys, message: `${entryKeys.join('.')} is left out: ${message}` };
}

/**
 * Returns a sentence for each argument that a tool now requires and that the recipe does not describe. A recipe describes every argument that its
 * tools required when it was checked.
 */
function newlyRequired({ name, arguments: args }: ToolModel, { tools, defaults }: ConnectorConfig): readonly string[] {
  const describedNames = new Set(
    [tools[name]?.arguments, defaults.arguments].flatMap((each) => Object.keys(each ?? {})),
  );
  const newArguments = args.filter((argument) => argument.required && !describedNames.has(argument.name));
  return newArguments.map((argument) => `${name} now requires ${argument.name}, which the recipe does not describe.`);
}

function toLine(
  { service, config, checked }: Recipe,
  current: { readonly sha256: string; readonly version: string; readonly differences: readonly string[] },
): string {
  const title = `${service}: ${config.title}, ${countTools(config)}`;
  const checkedVersion = checked.find(({ sha256 }) => sha256 === current.sha256);
  if (checkedVersion !== undefined) return `${title}, as checked (version ${checkedVersion.version}).\n`;
  const head = `${title}. The descriptor is not the one that was checked (version ${checked[0]?.version}): it is ${current.version}`;
  if (current.differences.length === 0) return `${head}. The tools are unaffected.\n`;
  return `${head}. What it changes for the tools:\n${current.differences.map((difference) => `  ${difference}\n`).join('')}`;
}
