// A window and a document in which the templates of the page can be loaded, but not drawn. A test imports this file
// before it imports a template.

Object.assign(globalThis, {
  window: globalThis,
  document: { createTreeWalker: () => ({}), createComment: () => ({}) },
});
