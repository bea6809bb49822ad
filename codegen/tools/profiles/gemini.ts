/** Limits of Gemini: function declarations in JSON Schema (`parametersJsonSchema`), and Gemini CLI for MCP. */

import type { Profile } from './types.ts';

const FUNCTION_DECLARATION = 'https://docs.cloud.google.com/vertex-ai/docs/reference/rest/v1beta1/FunctionDeclaration';

export const GEMINI: Profile = {
  id: 'gemini',
  title: 'Gemini',
  rules: [
    {
      kind: 'name-pattern',
      pattern: /^[a-zA-Z_][a-zA-Z0-9_.-]*$/,
      effect: 'refuses',
      because: 'The API answers 400 to every request that carries the declaration.',
      sources: [FUNCTION_DECLARATION, 'https://github.com/router-for-me/CLIProxyAPI/issues/218'],
    },
    {
      kind: 'name-length',
      maximum: 64,
      effect: 'refuses',
      because: 'The API answers 400 to every request that carries the declaration.',
      sources: [FUNCTION_DECLARATION, 'https://github.com/router-for-me/CLIProxyAPI/issues/218'],
    },
    {
      kind: 'full-name-length',
      before: 'mcp_',
      after: '_',
      maximum: 63,
      effect: 'degrades',
      because: 'Gemini CLI cuts the middle out of longer names, and loses one of two names that then collide.',
      sources: [
        'https://github.com/google-gemini/gemini-cli/pull/20987',
        'https://github.com/google-gemini/gemini-cli/issues/28970',
      ],
    },
    {
      kind: 'property-keys',
      pattern: /^[a-zA-Z_][a-zA-Z0-9_]{0,63}$/,
      effect: 'degrades',
      because: 'Documented for `parameters`, the older of two fields, so only clients that still send it are affected.',
      sources: [FUNCTION_DECLARATION],
    },
    {
      kind: 'array-items',
      effect: 'refuses',
      because: 'The API answers 400 to every request that carries the declaration: "items: missing field".',
      sources: ['https://github.com/anomalyco/opencode/pull/49392'],
    },
    {
      kind: 'enum-strings',
      effect: 'degrades',
      because: 'JSON Schema mode takes numbers; clients of the older field fail on all but non-empty strings.',
      sources: [
        'https://github.com/kensho-technologies/kfinance/pull/128',
        'https://github.com/sbroenne/mcp-server-excel/issues/607',
      ],
    },
    {
      id: 'references',
      kind: 'keywords',
      keywords: ['$ref'],
      effect: 'degrades',
      because: 'Newer models follow local references; some client versions drop `$defs`, and the API then refuses.',
      sources: [
        'https://github.com/google-gemini/gemini-cli/issues/13326',
        'https://github.com/anomalyco/opencode/issues/12295',
      ],
    },
    {
      kind: 'keywords',
      keywords: [
        'allOf',
        'not',
        'if',
        'then',
        'else',
        'dependentRequired',
        'dependentSchemas',
        'patternProperties',
        'propertyNames',
        'contains',
      ],
      effect: 'degrades',
      because: 'Not in the documented subset: the model may not see the rule, which the gateway still enforces.',
      sources: [
        'https://jsonschemaprofiles.unitvectorylabs.com/schemas/gemini',
        'https://github.com/zendev-sh/zenflow/issues/14',
      ],
    },
    {
      kind: 'tool-count',
      maximum: 512,
      effect: 'degrades',
      because: 'The API answers 400 to longer lists; which tools a request carries is the choice of client and user.',
      sources: ['https://github.com/google-gemini/gemini-cli/issues/19083'],
    },
  ],
  // Reported without a figure from the vendor: https://github.com/google-gemini/gemini-cli/issues/5923.
  notDocumented: ['schema-depth', 'property-count', 'enum-count', 'description-length'],
};
