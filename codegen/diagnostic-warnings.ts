/** The warnings and notes of codegen: they keep no service from being generated. */

/** By code. */
export const WARNINGS = {
  'openapi-invalid': {
    title: 'The descriptor breaks the OpenAPI specification',
    cause: 'An operation uses this place, and no request can be built from it. What no operation uses is not checked.',
    fix: 'Correct the descriptor at this place.',
  },
  'descriptor-repaired': {
    title: 'A fault of the descriptor is read as its author meant it',
    cause: 'It breaks the OpenAPI specification, or YAML, but the intent is clear. The message says what is assumed.',
    fix: 'Nothing, if the assumption is right. Otherwise correct the descriptor at this place.',
  },
  'reference-network': {
    title: 'A `$ref` leads to the network',
    cause:
      'Codegen reads no network: what it generates would change without a commit. Operations that need the reference do not become tools.',
    fix: 'Copy the document into specs/<service>/ and reference it by a relative path.',
  },
  'overlay-unused': {
    title: 'An action of the overlay changes nothing',
    cause: 'The descriptor has nothing at its `target`, or what is there is of another kind than the update.',
    fix: 'Remove the action if the upstream has repaired its descriptor. Otherwise correct its `target`.',
  },
  'reference-outside': {
    title: 'A `$ref` leads out of specs/<service>/',
    cause:
      'A descriptor reaches only the files of its folder: any other file of this machine would end up in generated code. Operations that need the reference do not become tools.',
    fix: 'Copy the file into specs/<service>/ and reference it by a relative path.',
  },
  'reference-unresolved': {
    title: 'A `$ref` leads nowhere',
    cause:
      'The file or the place in it does not exist, or the references form a circle. Operations that need the reference do not become tools.',
    fix: 'Correct the reference, or add what it names.',
  },
  'schema-id-ignored': {
    title: 'A schema has an `$id`',
    cause: 'References are resolved against the file that contains them, never against an `$id`.',
    fix: 'Remove `$id`, and write references as relative paths and JSON pointers.',
  },
  'scope-unlisted': {
    title: 'A tool needs a scope that its security scheme does not list',
    cause: 'The upstream may refuse the whole sign-in over one unknown scope.',
    fix: 'Check the name, and say what the tool needs under `scopes` in connector.yaml.',
  },
  'config-alias-ended': {
    title: 'An old name of a tool is past its date',
    cause: 'It still works, because the gateway serves what was generated.',
    fix: 'Remove the alias, or give it more time.',
  },
  'operation-server-invalid': {
    title: 'An operation did not become a tool, because its own server has no usable URL',
    cause: 'A relative URL, or a variable without a usable default, that other operations do not use.',
    fix: 'Give the variable a default under serverVariables in connector.yaml.',
  },
  'effect-claim-contradicted': {
    title: 'An MCP server claims that a tool does less than its name says',
    cause: 'Hints of a server are claims. The tool is taken to do the more serious of the two.',
    fix: 'Find out what the tool does, and set hints with a reason in connector.yaml.',
  },
  'operation-refused': {
    title: 'An operation did not become a tool',
    cause: 'It needs something that is not supported.',
    fix: 'Name it under notExposed in connector.yaml with the reason, to say that this is known.',
  },
  'input-contradictory': {
    title: 'No arguments of a tool can be valid',
    cause:
      'Its schemas contradict each other, such as a minimum over the maximum, or a required member that a closed object does not allow: the operation does not become a tool.',
    fix: 'Repair the schema with an overlay, or give the argument a `schema` in connector.yaml.',
  },
  'operation-unlisted': {
    title: 'Operations are neither listed nor ruled out',
    cause: 'connector.yaml exposes listed operations only, and says nothing about these.',
    fix: 'Add tools on them, or name them under notExposed with the reason.',
  },
  'operation-undescribed': {
    title: 'An operation has no text',
    cause: 'Neither summary nor description: a model cannot tell what the tool does.',
    fix: 'Write a description for the tool in connector.yaml.',
  },
  'argument-undescribed': {
    title: 'Arguments of a tool have no description',
    cause: 'Neither the descriptor nor connector.yaml says what they mean.',
    fix: 'Write a description for each in connector.yaml.',
  },
  'argument-name-collision': {
    title: 'Several values of an operation need the same argument name',
    cause: 'Their wire names are alike, or alike in different places.',
    fix: 'Name them in connector.yaml with `wire`.',
  },
  'parameter-left-out': {
    title: 'A tool does not offer an optional parameter, or an optional member of a body',
    cause: 'It cannot be written on the wire, for the reason that the message gives.',
    fix: 'Name it under omit in connector.yaml, to say that this is known.',
  },
  'withheld-argument': {
    title: 'An argument may tell what an answer withholds',
    cause:
      'The upstream filters or sorts by a member that never leaves. Which items come, and in which order, tells its value to who asks often enough.',
    fix: 'Take the argument away with `omit`, or `enum` to the values that tell nothing.',
  },
  'parameter-nested': {
    title: 'A parameter holds values that OpenAPI defines no form for',
    cause: 'A style says how to write an array or an object, and not what is inside its elements.',
    fix: 'Check how the upstream reads them. If it reads another form, name the parameter under omit in connector.yaml.',
  },
  'tool-name-collision': {
    title: 'Several operations need the same tool name',
    cause: 'Their names are alike once they are in snake_case, or a tool of connector.yaml has the name already.',
    fix: 'Name these tools in connector.yaml.',
  },
  'body-ambiguous': {
    title: 'A request body can be sent in several forms',
    cause: 'Several media types with different schemas, or alternatives at the root of its schema.',
    fix: 'Describe the tool in connector.yaml so that a model knows which form to send.',
  },
  'pattern-dropped': {
    title: 'A pattern of the descriptor cannot be served',
    cause:
      'It is not an ECMA-262 expression with the `u` flag; or it has no form that runs in linear time: backreferences, lookahead, lookbehind, or counts over 1000; or it has over 500 states with its counts written out, so that one text could occupy the gateway.',
    fix: 'Give the argument a `pattern` in connector.yaml that says the same without them or with smaller counts, or `maxLength` and `enum`.',
  },
  'input-schema-opened': {
    title: 'Parts of an input schema are left open',
    cause:
      'It has over 16,000 characters with short texts too, or over 10 objects inside one another: of the deepest and largest parts, it says only the type. The gateway still checks them.',
    fix: 'Give these arguments a plainer `schema` in connector.yaml, or name what no one needs under omit.',
  },
  'input-rules-left-out': {
    title: 'Arguments are not checked where the input schema leaves them open',
    cause: 'The whole schema of the arguments has over 256,000 characters, which would take too long to compile.',
    fix: 'Give the largest arguments a plainer `schema` in connector.yaml, or name what no one needs under omit.',
  },
  'credential-unsupported': {
    title: 'Operations need a credential that is not supported',
    cause:
      'Their security schemes are of an unsupported kind, lack an endpoint, or cannot be sent next to the chosen one.',
    fix: 'Describe what to ask for under credential in connector.yaml.',
  },
  'credential-not-sent': {
    title: 'Operations have no place for the credential',
    cause: 'It is sent in paths and bodies, and these operations declare neither.',
    fix: 'Add the parameter or the member to the descriptor with an overlay, or name the operations under notExposed.',
  },
  'credential-unsent': {
    title: 'No operation is sent a secret that connector.yaml names',
    cause: 'The operations declare that they take none, or take another: users would be asked for what is never used.',
    fix: 'Name a scheme that the operations accept, or `schemes: []` where the service is open. If the descriptor is wrong, correct `security` with an overlay.',
  },
  'credential-absent': {
    title: 'Nothing says which credential a service needs',
    cause: 'The descriptor has no usable security requirement and connector.yaml no credential.',
    fix: 'Describe it under credential.parts in connector.yaml; `schemes: []` says that the service is open.',
  },
  'operation-id-duplicate': {
    title: 'Two operations have the same operationId',
    cause: 'OpenAPI requires it to be unique, so codegen ignores it and uses method and path instead.',
    fix: 'Name their tools in connector.yaml with `operation: GET /path`, or give one of them another operationId.',
  },
  'parameter-duplicate': {
    title: 'A parameter is declared twice',
    cause:
      'Name and place identify a parameter, so it is not clear which one applies: the operation does not become a tool.',
    fix: 'Remove one of them, or name the operation under notExposed in connector.yaml.',
  },
  'reference-kind': {
    title: 'Something else is in the place of a parameter or a body',
    cause:
      'Usually a `$ref` leads to another kind of object, such as a schema. An operation without its parameter or body does not become a tool.',
    fix: 'Correct the entry, or what its `$ref` leads to.',
  },
  'argument-looks-secret': {
    title: 'An argument looks like a credential',
    cause: 'No security scheme says that it is one, so a model would have to know the secret.',
    fix: 'Describe the place under credential.parts in connector.yaml: users then give it when they connect, and no tool takes it.',
  },
  'parameter-filled': {
    title: 'A required header is one that the gateway or HTTP fills',
    cause: 'A caller cannot set it: the value of an argument would be overwritten.',
    fix: 'Nothing, if the upstream accepts what is sent.',
  },
  'path-leaves-base': {
    title: 'A path does not stay below its base URL',
    cause: 'It has a segment `.` or `..`, or begins with `//`, in some encoding: the operation does not become a tool.',
    fix: 'Write the path as the upstream reads it, or give the operation its own server.',
  },
  'path-parameter-undeclared': {
    title: 'A path has a placeholder without a parameter',
    cause: 'Nothing says what to put there: the operation does not become a tool.',
    fix: 'Declare a parameter of that name with `in: path`.',
  },
  'path-unsendable': {
    title: 'A key of `paths` has parts that no request can carry',
    cause:
      'It differs from another one by its `#fragment` alone, fixes a value that the parameter of that name does not allow, or has a lone brace: the operation does not become a tool.',
    fix: 'Write what chooses the operation as a required query or header parameter with that value.',
  },
  'path-parameter-unused': {
    title: 'A path parameter has no placeholder in its path',
    cause: 'There is no place to write the value to: the operation does not become a tool.',
    fix: 'Remove the parameter, or add the placeholder to the path.',
  },
  'schema-invalid': {
    title: 'Something else is in the place of a schema',
    cause: 'A schema is an object, or in OpenAPI 3.1 a boolean. It is read as one that accepts anything.',
    fix: 'Write a schema there.',
  },
  'schema-keyword': {
    title: 'A schema keyword has a value that it cannot have',
    cause: 'A validator would refuse the whole schema, so the keyword is left out.',
    fix: 'Correct the value.',
  },
  'schema-number-inexact': {
    title: 'A schema lists a whole number that has lost digits',
    cause: 'It is beyond 9007199254740991, so JSON parsers round it, and no tool can send it.',
    fix: 'List it as text where the upstream takes text; otherwise leave it out.',
  },
  'schema-dynamic-reference': {
    title: 'A schema uses `$dynamicRef`',
    cause: 'Dynamic references are not followed: the schema accepts more than the upstream does.',
    fix: 'Use `$ref` where the target is known.',
  },
  'security-scheme-unknown': {
    title: 'A security requirement names a scheme that does not exist',
    cause: 'The credential that the operation needs is not described: it does not become a tool.',
    fix: 'Describe the credential under credential.parts in connector.yaml, or declare the scheme in the descriptor.',
  },
} as const satisfies Record<string, Record<'title' | 'cause' | 'fix', string>>;

/** Notes, by code: things that were done and may surprise. */
export const NOTES = {
  'input-schema-shortened': {
    title: 'Texts of an input schema are cut',
    cause: 'The input schema had over 16,000 characters: a model reads all of it with every list of tools.',
    fix: 'Write shorter descriptions in connector.yaml, name arguments under omit, or give an argument a plainer `schema`.',
  },
  'credential-partial': {
    title: 'OAuth 2.0 is enough for some operations only',
    cause: 'The descriptor lets it stand in for the chosen credential, but not everywhere.',
    fix: 'Name the kinds of credential under credential in connector.yaml.',
  },
} as const satisfies Record<string, Record<'title' | 'cause' | 'fix', string>>;
