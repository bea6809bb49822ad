/** The four tools of a client that writes programs. */

import type { CodeTool } from '../../call/tools/call/dependencies.ts';
import { finderToolOf } from '../../call/tools/catalogue/finder-tools.ts';

/** Most characters of a program. */
const MAX_CODE = 65_536;
const NEAREST = 3;

/** The calls of the tools that exist only for programs. */
interface CodeCalls {
  readonly runCode: CodeTool['run'] & {};
  readonly readKept: CodeTool['run'] & {};
}

/** Returns the tools, sorted by name. */
export function createCodeTools({ runCode, readKept }: CodeCalls): readonly CodeTool[] {
  return [
    {
      ...finderToolOf('describe_tools'),
      description:
        'Declares tools as programs call them, in TypeScript. In answers a member without a type is text, and any may be null. With answers: true, every member, and what arguments mean.',
      async run(principal, { names, answers }, _context, { catalogue }) {
        const { declare, programTools, withFoundItems } = await import('./declarations.ts');
        const callableTools = programTools(catalogue, principal);
        const texts = [...new Set((names as readonly unknown[]).map(String))].map((requestedName) => {
          const programTool = callableTools.find(
            ([service, method, name]) => name === requestedName || `${service}.${method}` === requestedName,
          );
          const tool = programTool && catalogue.findVisible(programTool[2], principal);
          if (programTool && tool) return declare(programTool, withFoundItems(tool, catalogue), answers === true);
          const nearestNames = catalogue.nearest(requestedName, principal, NEAREST).join(', ');
          return `// There is no tool ${requestedName.slice(0, 128)}. Near: ${nearestNames}`;
        });
        return { content: [{ type: 'text', text: texts.join('\n') }] };
      },
    },
    {
      name: 'read_kept',
      title: 'Read a kept result',
      description: 'Selects from a result that was too large, by its handle. Without other arguments, all of it.',
      inputSchema: {
        type: 'object',
        properties: {
          handle: { type: 'string', description: 'From run_code: kept_...' },
          where: { type: 'object', description: 'Condition on the items of its list, as of list tools.' },
          fields: { type: 'array', description: 'Members to keep, dotted.', items: { type: 'string' }, maxItems: 100 },
          sort: { type: 'string', description: 'e.g. -createdAt' },
          aggregate: { type: 'object', description: 'Figures only: {count, sum, by, per}' },
          maxItems: { type: 'integer', description: 'The first ones.', minimum: 1 },
        },
        required: ['handle'],
        additionalProperties: false,
      },
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
      run: readKept,
    },
    {
      name: 'run_code',
      title: 'Run a program',
      description:
        'Runs the body of an async function in JavaScript or TypeScript, and gives what it returns. `crm_get_person` is `await crm.getPerson({...})`; a list goes through all pages with `for await (const person of crm.listPersons({...}))`. Return only what answers the question. Integers beyond 2^53 are strings of their digits, in answers and in arguments. There is no network, no file and no timer. Calls that need approval are collected: the answer says how to make them afterwards.',
      inputSchema: {
        type: 'object',
        properties: {
          code: { type: 'string', description: 'The program.', maxLength: MAX_CODE },
          resume: { type: 'string', description: 'Instead: a handle of collected calls. Makes exactly these.' },
        },
        additionalProperties: false,
      },
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
      run: runCode,
    },
    {
      ...finderToolOf('search_tools'),
      description:
        "Finds tools of the user's connected services by what they do, best first. Then describe_tools declares them, and a program in run_code calls them.",
    },
  ];
}
