// `vite preview` serves what is built, so no adapter is needed.
export default { kit: { adapter: { name: 'none', adapt() {} } } };
