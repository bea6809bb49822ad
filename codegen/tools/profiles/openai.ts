/** Limits of OpenAI: function tools of its APIs, and Codex as its client for MCP. */

import type { Profile } from './types.ts';

const STRUCTURED_OUTPUTS = 'https://developers.openai.com/api/docs/guides/structured-outputs#supported-schemas';
const STRUCTURED_OUTPUTS_TABLE = 'https://jsonschemaprofiles.unitvectorylabs.com/schemas/openai';
const STRICT_ONLY = 'Only clients that turn on strict mode for MCP tools are affected; they refuse the tool.';

export const OPENAI: Profile = {
  id: 'openai',
  title: 'OpenAI',
  rules: [
    {
      kind: 'name-pattern',
      pattern: /^[a-zA-Z0-9_-]+$/,
      effect: 'refuses',
      because: 'The API answers 400 to every request that carries the tool.',
      sources: ['https://github.com/openai/codex/issues/8174', 'https://github.com/Lucassssss/eechat/issues/52'],
    },
    {
      kind: 'name-length',
      maximum: 64,
      effect: 'refuses',
      because: 'The API answers 400 to every request that carries the tool.',
      sources: [
        'https://github.com/microsoft/foundry-dev-tools/issues/201',
        'https://github.com/microsoft/vscode/issues/243602',
      ],
    },
    {
      kind: 'full-name-length',
      before: 'mcp__',
      after: '__',
      maximum: 64,
      effect: 'degrades',
      because: 'Clients cut longer names and add a digest, or skip the tool; a shorter name for the server fixes it.',
      sources: ['https://github.com/openai/codex/pull/16944', 'https://github.com/ggozad/oterm/pull/325'],
    },
    {
      kind: 'description-length',
      maximum: 1024,
      effect: 'refuses',
      because: 'The Chat Completions API answers 400 to every request that carries the tool.',
      sources: [
        'https://github.com/getsentry/sentry-mcp/issues/106',
        'https://github.com/microsoft/genaiscript/issues/1381',
      ],
    },
    {
      id: 'root-type',
      kind: 'input-root-type',
      effect: 'refuses',
      because: 'The API answers 400 to every request that carries the tool.',
      sources: ['https://github.com/langchain-ai/langchainjs/issues/9804'],
    },
    {
      id: 'root-combinators',
      kind: 'root-keywords',
      keywords: ['oneOf', 'anyOf', 'allOf', 'enum', 'const', 'not'],
      effect: 'refuses',
      because: 'The API answers 400 to every request that carries the tool.',
      sources: [
        'https://github.com/langchain-ai/langchainjs/issues/9804',
        'https://github.com/goruck/home-generative-agent/pull/545',
      ],
    },
    {
      kind: 'array-items',
      effect: 'refuses',
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
      effect: 'refuses',
      because: 'Newer models answer 400 to every request that carries a pattern with lookaround.',
      sources: ['https://github.com/cline/cline/pull/14019', 'https://github.com/vercel/ai/pull/21037'],
    },
    {
      kind: 'keywords',
      keywords: ['allOf', 'not', 'if', 'then', 'else', 'dependentRequired', 'dependentSchemas'],
      effect: 'degrades',
      because: STRICT_ONLY,
      sources: [
        STRUCTURED_OUTPUTS,
        STRUCTURED_OUTPUTS_TABLE,
        'https://github.com/makenotion/notion-mcp-server/issues/102',
      ],
    },
    {
      kind: 'schema-depth',
      maximum: 10,
      effect: 'degrades',
      because: STRICT_ONLY,
      sources: [STRUCTURED_OUTPUTS, STRUCTURED_OUTPUTS_TABLE],
    },
    {
      kind: 'property-count',
      maximum: 5000,
      effect: 'degrades',
      because: STRICT_ONLY,
      sources: [STRUCTURED_OUTPUTS, STRUCTURED_OUTPUTS_TABLE],
    },
    {
      kind: 'enum-count',
      maximum: 1000,
      effect: 'degrades',
      because: STRICT_ONLY,
      sources: [STRUCTURED_OUTPUTS, STRUCTURED_OUTPUTS_TABLE],
    },
    {
      kind: 'tool-count',
      maximum: 128,
      effect: 'degrades',
      because: 'The API answers 400 to longer lists; which tools a request carries is the choice of client and user.',
      sources: [
        'https://github.com/zed-industries/zed/issues/32946',
        'https://github.com/FerroxLabs/wayland/issues/344',
      ],
    },
  ],
  notDocumented: ['property-keys'],
};
