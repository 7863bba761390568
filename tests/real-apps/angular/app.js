// A list of tasks, compiled in the browser, with zones, a service, HTTP and a form.
import '@angular/compiler';
import { HttpClient, provideHttpClient } from '@angular/common/http';
import { ChangeDetectionStrategy, Component, inject, provideZoneChangeDetection } from '@angular/core';
import { FormsModule } from '@angular/forms';
import { bootstrapApplication } from '@angular/platform-browser';

class TaskList {
  http = inject(HttpClient);
  tasks = [];
  text = '';
  loaded = false;
  seconds = 0;

  constructor() {
    this.http.get('/tasks.json').subscribe((tasks) => {
      this.tasks = tasks;
      this.loaded = true;
    });
    setTimeout(() => this.seconds++, 1000);
  }

  add() {
    if (this.text) this.tasks = [...this.tasks, { text: this.text, done: false }];
    this.text = '';
  }
}

const decorated = Component({
  selector: 'task-list',
  changeDetection: ChangeDetectionStrategy.Eager,
  imports: [FormsModule],
  template: `
    <h1>Tasks after {{ seconds }} s</h1>
    <form (ngSubmit)="add()"><input id="text" name="text" [(ngModel)]="text"><button id="add">Add</button></form>
    @if (loaded) {
      <ul id="tasks">
        @for (task of tasks; track task.text) {
          <li><label><input type="checkbox" [(ngModel)]="task.done"> {{ task.text }}</label></li>
        }
      </ul>
    }
    <p id="left">{{ tasks.length }} tasks</p>`,
})(TaskList);

await bootstrapApplication(decorated ?? TaskList, {
  providers: [provideHttpClient(), provideZoneChangeDetection({ eventCoalescing: true })],
});
