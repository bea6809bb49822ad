/** The tools:diff command: what its arguments mean, what it prints, and which exit code tells what happened. */

import path from 'node:path';
import { parseArgs } from 'node:util';
import {
  buildReport,
  createSurfaceReader,
  createTokenCounter,
  type FileTexts,
  formatGithub,
  formatJson,
  formatMarkdown,
  ReadError,
} from '../../codegen/report/index.ts';
import { loadAcknowledgements } from './acknowledgements.ts';
import { findDefaultBase, findRevision, GitError, type Revision } from './git.ts';
import { readCommit, readFolder } from './sides.ts';

const HELP = `npm run tools:diff [-- [base-revision] [options]]

Says how the tools of agents change: what breaks, what got riskier, what it costs in tokens.
Compares the committed files of generated/ at a git revision with those of the working tree.
Default revision: the merge base with origin/main, else with main, else HEAD~1.

  --format <name>    markdown (default), github (annotations of a workflow) or json
  --base-dir <dir>   compare generated/ of this folder instead of a revision
  --head-dir <dir>   folder that holds generated/ and specs/ as they are now (default: this project)
  --max-length <n>   characters of markdown at most (default: no limit)
  --help             print this

A breaking change or a risk is accepted in specs/<service>/connector.yaml:
  acknowledged:
    '<fingerprint>': <reason>

Exit codes
  0  nothing breaking and no risk, or all of it acknowledged
  1  something must be decided
  2  wrong arguments, no such revision, or files that cannot be read
`;

const FORMATS = ['markdown', 'github', 'json'] as const;

interface Output {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

interface Options {
  readonly revision: string | null;
  readonly format: (typeof FORMATS)[number];
  readonly baseDir: string | null;
  readonly headDir: string;
  readonly maxLength: number;
  readonly help: boolean;
}

/** @returns The exit code, as the help text lists them. */
export async function runToolsDiff(argv: readonly string[], { out, err }: Output): Promise<0 | 1 | 2> {
  const options = readOptions(argv);
  if (typeof options === 'string') {
    err(`${options}\nRun \`npm run tools:diff -- --help\` for what is possible.\n`);
    return 2;
  }
  if (options.help) {
    out(HELP);
    return 0;
  }
  try {
    return await compare(options, { out, err });
  } catch (error) {
    if (!(error instanceof GitError || error instanceof ReadError)) throw error;
    err(`${error.message}\n`);
    return 2;
  }
}

async function compare(options: Options, { out, err }: Output): Promise<0 | 1 | 2> {
  const { acknowledgements, problems } = await loadAcknowledgements(options.headDir);
  if (problems.length > 0) {
    err(problems.map((problem) => `${problem}\n`).join(''));
    return 2;
  }
  const head = await readFolder(options.headDir);
  const base = await readBase(options, head);
  const reader = createSurfaceReader();
  const report = buildReport({
    before: reader.read(base.files),
    after: reader.read(head),
    base: base.label,
    head: options.baseDir === null ? 'the working tree' : options.headDir,
    acknowledgements,
    countTokens: await createTokenCounter(),
    today: new Date().toISOString().slice(0, 10),
  });
  if (options.format === 'json') out(formatJson(report));
  else if (options.format === 'github') out(formatGithub(report, (file) => head.get(file) ?? null));
  else out(formatMarkdown(report, { maxLength: options.maxLength }));
  return report.open > 0 ? 1 : 0;
}

async function readBase({ baseDir, headDir, revision }: Options, head: FileTexts) {
  if (baseDir !== null) return { label: baseDir, files: await readFolder(baseDir) };
  const found: Revision = revision === null ? await findDefaultBase(headDir) : await findRevision(headDir, revision);
  return { label: found.label, files: await readCommit(headDir, found.commit, head) };
}

function readOptions(argv: readonly string[]): Options | string {
  try {
    const { values, positionals } = parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
        format: { type: 'string', default: 'markdown' },
        'base-dir': { type: 'string' },
        'head-dir': { type: 'string' },
        'max-length': { type: 'string' },
        help: { type: 'boolean', default: false, short: 'h' },
      },
    });
    const format = FORMATS.find((name) => name === values.format);
    if (format === undefined) return `--format must be one of ${FORMATS.join(', ')}.`;
    if (positionals.length > 1) return 'Name one revision; the other side is the working tree or --head-dir.';
    const baseDir = values['base-dir'];
    if (baseDir !== undefined && positionals.length > 0) return 'Name a revision or --base-dir, not both.';
    const maxLength = Number(values['max-length'] ?? Number.MAX_SAFE_INTEGER);
    if (!Number.isSafeInteger(maxLength) || maxLength < 5000) return '--max-length must be a number from 5000 on.';
    return {
      revision: positionals[0] ?? null,
      format,
      baseDir: baseDir === undefined ? null : path.resolve(baseDir),
      headDir: path.resolve(values['head-dir'] ?? path.join(import.meta.dirname, '../..')),
      maxLength,
      help: values.help,
    };
  } catch (error) {
    return (error as Error).message;
  }
}
