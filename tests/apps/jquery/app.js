// jQuery: two classic scripts, markup put together from text, delegated handlers, $.ajax.
var todos = [];
var saves = 0;
var filter = localStorage.filter || '#/';

function ask(method, path, body) {
  return $.ajax({ url: '/api/todos' + path, method: method, data: body && JSON.stringify(body), dataType: 'json' });
}

function saved(request, change) {
  return request.then(function (answer) {
    saves++;
    change(answer);
    render();
  });
}

function isShown(todo) {
  return filter === '#/' || todo.done === (filter === '#/done');
}

function item(todo) {
  var li = $(
    '<li><input type="checkbox" class="toggle"><span class="title"></span> ' +
      '<button class="edit">edit</button><button class="remove">remove</button></li>',
  );
  li.attr('id', 'todo-' + todo.id)
    .data('todo', todo)
    .toggleClass('done', todo.done);
  li.find('.toggle').prop('checked', todo.done).end().find('.title').text(todo.title);
  return li;
}

function render() {
  var left = $.grep(todos, function (todo) {
    return !todo.done;
  }).length;
  $('#list')
    .empty()
    .append($.map(todos.filter(isShown), item));
  $('#left').text(left + ' left');
  $('#clear').prop('disabled', left === todos.length);
  $('#status')
    .attr('data-saves', saves)
    .text(saves + ' saved');
  localStorage.filter = filter;
  console.log(
    'shown',
    todos
      .filter(isShown)
      .map(function (todo) {
        return todo.title;
      })
      .join(', '),
  );
}

function remove(todo) {
  return saved(ask('DELETE', '/' + todo.id), function () {
    todos = $.grep(todos, function (other) {
      return other !== todo;
    });
  });
}

$(function () {
  $('#app').html(
    '<form><input id="new"></form><ul id="list"></ul><p id="left"></p>' +
      '<button id="clear">clear</button><p id="status"></p>',
  );
  ask('GET', '').done(function (list) {
    todos = list;
    render();
  });
  $('form').on('submit', function (event) {
    event.preventDefault();
    var title = $.trim ? $.trim($('#new').val()) : $('#new').val().trim();
    $('#new').val('');
    saved(ask('POST', '', { title: title }), function (todo) {
      todos.push(todo);
    });
  });
  $('#list')
    .on('change', '.toggle', function () {
      var todo = $(this).closest('li').data('todo');
      todo.done = this.checked;
      saved(ask('PUT', '/' + todo.id, todo), $.noop);
    })
    .on('click', '.edit', function () {
      var title = $(this).siblings('.title');
      $('<input class="editing">').val(title.text()).replaceAll(title).trigger('focus');
    })
    .on('keydown', '.editing', function (event) {
      var todo = $(this).closest('li').data('todo');
      if (event.key === 'Escape') render();
      if (event.key !== 'Enter') return;
      todo.title = this.value;
      saved(ask('PUT', '/' + todo.id, todo), $.noop);
    })
    .on('click', '.remove', function () {
      remove($(this).closest('li').data('todo'));
    });
  $('#clear').on('click', function () {
    $.when.apply(
      $,
      $.map(
        $.grep(todos, function (todo) {
          return todo.done;
        }),
        remove,
      ),
    );
  });
  $(window).on('hashchange', function () {
    filter = location.hash || '#/';
    render();
  });
});
