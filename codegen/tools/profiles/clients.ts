/** Limits of known clients. Figures come from the vendors' pages, or from threads that quote a client's own error. */

import type { Profile } from './types.ts';

/** The Messages API, and Claude Code as its client for MCP. */
const CLAUDE: Profile = {
  id: 'claude',
  title: 'Claude',
  rules: [
    {
      kind: 'name-pattern',
      pattern: /^[a-zA-Z0-9_-]+$/,
      because: 'The API answers 400 to every request that carries the tool.',
      sources: [
        'https://github.com/github/copilot-cli/issues/1879',
        'https://github.com/IlyaGulya/gradle-mcp-server/issues/2',
      ],
    },
    {
      kind: 'name-length',
      maximum: 64,
      because: 'A tool reference of more than 64 characters is answered with 400, under any name of the server.',
      sources: [
        'https://github.com/anthropics/claude-code/issues/955',
        'https://github.com/cloudflare/skills/issues/11',
      ],
    },
    {
      id: 'root-type',
      kind: 'input-root-type',
      because: '`input_schema.type` must be `object`.',
      sources: ['https://schemas.apis.io/schemas/claude/claude-tool/'],
    },
    {
      id: 'root-combinators',
      kind: 'root-keywords',
      keywords: ['oneOf', 'allOf', 'anyOf'],
      because: 'The API answers 400 to every request that carries the tool.',
      sources: [
        'https://github.com/anthropics/claude-code/issues/5973',
        'https://github.com/mobile-next/mobile-mcp/issues/344',
      ],
    },
    {
      kind: 'property-keys',
      pattern: /^[a-zA-Z0-9_.-]{1,64}$/,
      because: 'The API answers 400 to every request that carries the tool. Keys deeper down are not checked.',
      sources: [
        'https://github.com/anthropics/claude-code/issues/79418',
        'https://github.com/decocms/studio/pull/6874',
      ],
    },
  ],
  notDocumented: [],
};

/** Function tools of its APIs, and Codex as its client for MCP. */
const OPENAI: Profile = {
  id: 'openai',
  title: 'OpenAI',
  rules: [
    {
      kind: 'name-pattern',
      pattern: /^[a-zA-Z0-9_-]+$/,
      because: 'The API answers 400 to every request that carries the tool.',
      sources: ['https://github.com/openai/codex/issues/8174', 'https://github.com/Lucassssss/eechat/issues/52'],
    },
    {
      kind: 'name-length',
      maximum: 64,
      because: 'The API answers 400 to every request that carries the tool.',
      sources: [
        'https://github.com/microsoft/foundry-dev-tools/issues/201',
        'https://github.com/microsoft/vscode/issues/243602',
      ],
    },
    {
      kind: 'description-length',
      maximum: 1024,
      because: 'The Chat Completions API answers 400 to every request that carries the tool.',
      sources: [
        'https://github.com/getsentry/sentry-mcp/issues/106',
        'https://github.com/microsoft/genaiscript/issues/1381',
      ],
    },
    {
      id: 'root-type',
      kind: 'input-root-type',
      because: 'The API answers 400 to every request that carries the tool.',
      sources: ['https://github.com/langchain-ai/langchainjs/issues/9804'],
    },
    {
      id: 'root-combinators',
      kind: 'root-keywords',
      keywords: ['oneOf', 'anyOf', 'allOf', 'enum', 'const', 'not'],
      because: 'The API answers 400 to every request that carries the tool.',
      sources: [
        'https://github.com/langchain-ai/langchainjs/issues/9804',
        'https://github.com/goruck/home-generative-agent/pull/545',
      ],
    },
    {
      kind: 'array-items',
      because: 'The API answers 400 to every request that carries the tool, and VS Code drops the tool.',
      sources: [
        'https://github.com/digitalocean-labs/mcp-digitalocean/issues/265',
        'https://github.com/rootlyhq/rootly-mcp-server/issues/82',
      ],
    },
    {
      id: 'lookaround',
      kind: 'pattern-syntax',
      forbidden: /\(\?(?:[=!]|<[=!])/,
      because: 'Newer models answer 400 to every request that carries a pattern with lookaround.',
      sources: ['https://github.com/cline/cline/pull/14019', 'https://github.com/vercel/ai/pull/21037'],
    },
  ],
  notDocumented: ['property-keys'],
};

const FUNCTION_DECLARATION = 'https://docs.cloud.google.com/vertex-ai/docs/reference/rest/v1beta1/FunctionDeclaration';

/** Function declarations in JSON Schema (`parametersJsonSchema`), and Gemini CLI for MCP. */
const GEMINI: Profile = {
  id: 'gemini',
  title: 'Gemini',
  rules: [
    {
      kind: 'name-pattern',
      pattern: /^[a-zA-Z_][a-zA-Z0-9_.-]*$/,
      because: 'The API answers 400 to every request that carries the declaration.',
      sources: [FUNCTION_DECLARATION, 'https://github.com/router-for-me/CLIProxyAPI/issues/218'],
    },
    {
      kind: 'name-length',
      maximum: 64,
      because: 'The API answers 400 to every request that carries the declaration.',
      sources: [FUNCTION_DECLARATION, 'https://github.com/router-for-me/CLIProxyAPI/issues/218'],
    },
    {
      kind: 'array-items',
      because: 'The API answers 400 to every request that carries the declaration: "items: missing field".',
      sources: ['https://github.com/anomalyco/opencode/pull/49392'],
    },
  ],
  notDocumented: ['description-length'],
};

/** Cursor, whichever model it uses. */
const CURSOR: Profile = {
  id: 'cursor',
  title: 'Cursor',
  rules: [
    {
      kind: 'name-length',
      maximum: 58,
      because: 'With a server name of one character that makes 59; at 60 Cursor hides the tool.',
      sources: ['https://github.com/ComposioHQ/composio/issues/2788'],
    },
  ],
  notDocumented: ['name-pattern', 'description-length', 'root-keywords', 'property-keys'],
};

const TYPES = 'https://github.com/modelcontextprotocol/typescript-sdk/blob/v1.x/src/types.ts';

/** Clients that use the official MCP SDK for TypeScript. */
const SDK: Profile = {
  id: 'sdk',
  title: 'MCP SDK clients',
  rules: [
    {
      kind: 'input-root-type',
      because: '`ListToolsResultSchema` of every version wants `type: object`; measured with 1.32 and 2.4.',
      sources: [TYPES],
    },
    {
      kind: 'output-root-type',
      because: '`ListToolsResultSchema` wants `type: object` in every revision before 2026-07-28; measured with 1.32.',
      sources: [TYPES],
    },
    {
      kind: 'boolean-schemas',
      because: '`ListToolsResultSchema` of version 1 takes only objects as schemas of properties; measured with 1.32.',
      sources: [TYPES],
    },
  ],
  notDocumented: [],
};

export const PROFILES: readonly Profile[] = [CLAUDE, OPENAI, GEMINI, CURSOR, SDK];
