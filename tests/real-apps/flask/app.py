"""Flask-Admin on a folder of files."""
import os

from flask import Flask
from flask_admin import Admin
from flask_admin.contrib.fileadmin import FileAdmin

app = Flask(__name__)
app.secret_key = "of the test"
admin = Admin(app, name="Files")
admin.add_view(FileAdmin(os.environ["STATE"], name="Files", endpoint="files", url="/admin/files"))
