// The editor's types of the wire protocol, made from its schema.
//
// `cargo xtask wire` writes both:
//
//   node web/test/types.mjs                writes web/js/protocol.d.ts
//   node web/test/types.mjs --check        tells whether it is current
//   node web/test/types.mjs SCHEMA TYPES   writes the types of another schema

import { readFile, writeFile } from 'node:fs/promises';

import { compile } from 'json-schema-to-typescript';

const SCHEMA = new URL('../../docs/wire/schema.json', import.meta.url);
const TYPES = new URL('../js/protocol.d.ts', import.meta.url);

const isCheck = process.argv.includes('--check');
const [schemaFile = SCHEMA, typesFile = TYPES] = process.argv.slice(2).filter((word) => !word.startsWith('--'));

// A reference beside other keywords would be replaced by what it refers to: a type without a name.
/** @type {(name: string, value: { $ref?: string } | null) => unknown} */
const named = (_, value) => {
  if (!value?.$ref) return value;
  const { $ref, ...others } = value;
  return Object.keys(others).length === 0 ? value : { ...others, allOf: [{ $ref }] };
};

const schema = JSON.parse(await readFile(schemaFile, 'utf8'), named);
const types = await compile(schema, 'WireProtocol', {
  additionalProperties: false,
  bannerComment: '// Made from docs/wire/schema.json by web/test/types.mjs: do not edit.',
  ignoreMinAndMaxItems: true,
  style: { printWidth: 110, singleQuote: true },
  unreachableDefinitions: true,
});

if (isCheck) {
  const found = await readFile(typesFile, 'utf8').catch(() => '');
  if (found !== types) {
    console.error('web/js/protocol.d.ts is not current: `cargo xtask wire` regenerates it.');
    process.exit(1);
  }
} else {
  await writeFile(typesFile, types);
}
