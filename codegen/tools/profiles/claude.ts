/** Limits of Claude: the Messages API, and Claude Code as its client for MCP. */

import type { Profile } from './types.ts';

export const CLAUDE: Profile = {
  id: 'claude',
  title: 'Claude',
  rules: [
    {
      kind: 'name-pattern',
      pattern: /^[a-zA-Z0-9_-]+$/,
      effect: 'refuses',
      because: 'The API answers 400 to every request that carries the tool.',
      sources: [
        'https://github.com/github/copilot-cli/issues/1879',
        'https://github.com/IlyaGulya/gradle-mcp-server/issues/2',
      ],
    },
    {
      kind: 'name-length',
      maximum: 64,
      effect: 'refuses',
      because: 'A tool reference of more than 64 characters is answered with 400, under any name of the server.',
      sources: [
        'https://github.com/anthropics/claude-code/issues/955',
        'https://github.com/cloudflare/skills/issues/11',
      ],
    },
    {
      kind: 'full-name-length',
      before: 'mcp__',
      after: '__',
      maximum: 64,
      effect: 'degrades',
      because: 'Claude Code refuses longer names; a shorter name for the server, which the user chooses, fixes it.',
      sources: [
        'https://github.com/anthropics/claude-code/issues/19882',
        'https://github.com/anthropics/claude-code/issues/22276',
      ],
    },
    {
      kind: 'description-length',
      maximum: 2048,
      effect: 'degrades',
      because: 'Claude Code cuts the description there; the model never sees the rest.',
      sources: [
        'https://docs.anthropic.com/en/docs/claude-code/mcp#for-mcp-server-authors',
        'https://github.com/anthropics/claude-code/issues/87650',
      ],
    },
    {
      id: 'root-type',
      kind: 'input-root-type',
      effect: 'refuses',
      because: '`input_schema.type` must be `object`.',
      sources: ['https://schemas.apis.io/schemas/claude/claude-tool/'],
    },
    {
      id: 'root-combinators',
      kind: 'root-keywords',
      keywords: ['oneOf', 'allOf', 'anyOf'],
      effect: 'refuses',
      because: 'The API answers 400 to every request that carries the tool.',
      sources: [
        'https://github.com/anthropics/claude-code/issues/5973',
        'https://github.com/mobile-next/mobile-mcp/issues/344',
      ],
    },
    {
      kind: 'property-keys',
      pattern: /^[a-zA-Z0-9_.-]{1,64}$/,
      effect: 'refuses',
      because: 'The API answers 400 to every request that carries the tool. Keys deeper down are not checked.',
      sources: [
        'https://github.com/anthropics/claude-code/issues/79418',
        'https://github.com/decocms/studio/pull/6874',
      ],
    },
    {
      id: 'references',
      kind: 'keywords',
      keywords: ['$ref'],
      effect: 'degrades',
      because: 'The Messages API accepts local references; custom tools of managed agents refuse every one of them.',
      sources: [
        'https://platform.claude.com/docs/en/managed-agents/self-hosted-sandboxes',
        'https://github.com/diegosouzapw/OmniRoute/issues/13552',
      ],
    },
  ],
  notDocumented: ['schema-depth', 'property-count', 'enum-count', 'tool-count'],
};
