module.exports = {
  uiHost: '127.0.0.1',
  flowFile: 'flows.json',
  credentialSecret: false,
  telemetry: { enabled: false, updateNotification: false },
  externalModules: { autoInstall: false, palette: { allowInstall: false } },
  editorTheme: { tours: false, projects: { enabled: false } },
  logging: { console: { level: 'warn' } },
};
