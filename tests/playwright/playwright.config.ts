import { defineConfig } from '@playwright/test';

const port = Number(process.env.PORT ?? 4173);

export default defineConfig({
  testDir: 'specs',
  timeout: 20_000,
  fullyParallel: true,
  workers: Number(process.env.WORKERS ?? 2),
  reporter: 'line',
  outputDir: '../../target/playwright-results',
  use: {
    baseURL: `http://127.0.0.1:${port}`,
    launchOptions: { executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium' },
  },
  webServer: {
    command: 'node server.mjs',
    url: `http://127.0.0.1:${port}/island.html`,
    env: { PORT: `${port}` },
    reuseExistingServer: false,
  },
});
